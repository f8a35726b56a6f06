// Creates the scenario's objects and sets its faults, each only once, so that changes by other clients are kept.

import { at, isMap, type JsonMap, type KubeObject } from "@virt/objects";
import { type ClusterState, faultPrefix, findNamespaced, findObject, isKind } from "../cluster-state.ts";
import type { ObjectWrite } from "../object-writes.ts";
import {
  autopilotDeploymentOf,
  deschedulerOf,
  hyperConvergedOf,
  infrastructureOf,
  namespacesOf,
  schedulerOf,
  serviceAccountOf,
} from "../objects/cluster.ts";
import { ownedBy, type ScenarioMachine, scenarioMachines } from "../objects/machines.ts";
import { scenarioNodes } from "../objects/nodes.ts";
import { baseConfigsOf, poolObjects } from "../objects/pools.ts";
import type { Scenario, ScenarioFault } from "../scenario.ts";
import type { SimulatedTimers } from "../simulated-timers.ts";
import { machineConfigurationOf } from "./disruption-policies.ts";

type ManagedObjects = { readonly manager: string; readonly objects: readonly KubeObject[] };

/** Returns the missing objects. Omits kinds that are not served yet. */
export function createScenarioObjects(cluster: ClusterState): readonly ObjectWrite[] {
  const { scenario } = cluster;
  const writes = objectsByManager(cluster).flatMap(({ manager, objects }) =>
    objects
      .filter((object) => isMissing(cluster, object))
      .map((object): ObjectWrite => ({ kind: "create", object, manager, key: scenarioObjectKey(object) })),
  );
  // Namespaces and service accounts must exist before the objects that need them.
  for (const kind of ["Namespace", "ServiceAccount"]) {
    const first = writes.filter(({ object }) => object.kind === kind);
    if (first.length > 0) return first;
  }
  const infrastructure = findObject(cluster, "Infrastructure", "cluster");
  const isBare = infrastructure !== undefined && !isMap(at(infrastructure, "status", "platformStatus"));
  if (infrastructure === undefined || !isBare) return writes;
  const { status = {} } = infrastructureOf(scenario, cluster.seed) as { readonly status?: KubeObject };
  return [
    ...writes,
    { kind: "set", object: infrastructure, fields: { status }, isStatus: true, manager: "cluster-bootstrap" },
  ];
}

export function scenarioObjectKey({ kind, metadata }: KubeObject): string {
  return [kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join("/");
}

function objectsByManager(cluster: ClusterState): readonly ManagedObjects[] {
  const { scenario, seed, timestamp, servedVersion } = cluster;
  const hco = servedVersion("HyperConverged");
  const descheduler = deschedulerOf(scenario);
  const autopilot = autopilotDeploymentOf(scenario);
  const machines = machinesOf(scenario);
  const hasPods = servedVersion("VirtualMachine") !== undefined || scenario.objects.some(({ kind }) => kind === "Pod");
  const namespaces = namespacesOf(scenario);
  const accounts = hasPods ? namespaces.map(({ metadata }) => serviceAccountOf(metadata.name)) : [];
  return [
    { manager: "cluster-bootstrap", objects: [...namespaces, ...accounts] },
    { manager: "cluster-bootstrap", objects: [infrastructureOf(scenario, seed), schedulerOf(scenario)] },
    {
      manager: "machine-config-operator",
      objects: [
        ...baseConfigsOf(scenario),
        ...poolObjects(scenario),
        machineConfigurationOf(scenario.nodeDisruptionPolicy),
      ],
    },
    { manager: "kubelet", objects: scenarioNodes(scenario, { seed, timestamp }) },
    {
      manager: "kubectl-create",
      objects: [
        ...(scenario.hco && hco !== undefined ? [hyperConvergedOf(scenario.hco, hco)] : []),
        ...(descheduler ? [descheduler] : []),
        ...scenario.objects,
        ...machines.flatMap(({ owner }) => owner ?? []),
      ],
    },
    { manager: "olm", objects: autopilot ? [autopilot] : [] },
    { manager: "virt-controller", objects: machines.flatMap((machine) => instanceIn(cluster, machine)) },
  ];
}

const known = new WeakMap<Scenario, readonly ScenarioMachine[]>();

// Cached, because there are thousands of VMs and they never change.
function machinesOf(scenario: Scenario): readonly ScenarioMachine[] {
  const machines = known.get(scenario) ?? scenarioMachines(scenario);
  known.set(scenario, machines);
  return machines;
}

// A VMI refers to its owner by uid, so the owner must exist first. If VirtualMachines are not served, there is no
// owner.
function instanceIn(cluster: ClusterState, { instance, owner }: ScenarioMachine): readonly KubeObject[] {
  if (cluster.createdKeys.has(scenarioObjectKey(instance))) return [];
  if (owner === undefined || cluster.servedVersion("VirtualMachine") === undefined) return [instance];
  const { namespace = "", name } = owner.metadata;
  const live = findNamespaced(cluster, "VirtualMachine", `${namespace}/${name}`);
  return live === undefined ? [] : [ownedBy(instance, live)];
}

function isMissing({ createdKeys, servedVersion }: ClusterState, object: KubeObject): boolean {
  if (createdKeys.has(scenarioObjectKey(object))) return false;
  return !isKind(object.kind) || servedVersion(object.kind) !== undefined;
}

export function injectFaults(cluster: ClusterState, timers: SimulatedTimers): readonly ObjectWrite[] {
  return cluster.scenario.faults.flatMap((fault, index) => {
    const key = `fault ${index}`;
    const object = cluster
      .list(fault.kind)
      .find(({ metadata }) => metadata.name === fault.name && metadata.namespace === fault.namespace);
    const isDue =
      object !== undefined && !cluster.createdKeys.has(key) && timers.hasElapsed(key, fault.afterSeconds * 1000);
    if (!isDue) return [];
    return [
      {
        kind: "set",
        object,
        fields: faultFields(fault),
        manager: "simulator",
        key,
        event: describeFault(fault),
      } as const,
    ];
  });
}

function faultFields({ annotation, value }: ScenarioFault): JsonMap {
  const annotations = { [`${faultPrefix}${annotation}`]: value };
  const isCordon = annotation === "cordon";
  return { metadata: { annotations }, ...(isCordon && { spec: { unschedulable: value === null ? null : true } }) };
}

function describeFault({ kind, name, annotation, value }: ScenarioFault): string {
  return `${kind} ${name}: ${annotation} ${value === null ? "is over" : "begins"}`;
}
