// Creates a scenario's VirtualMachines and VMIs, before they are placed on nodes.

import { type JsonMap, type KubeObject, writeTime } from "@virt/objects";
import { faultPrefix } from "../cluster-state.ts";
import type { Scenario, VmGroup } from "../scenario.ts";

export const firstNodeAnnotation = `${faultPrefix}first-node`;

const apiVersion = "kubevirt.io/v1";

export type ScenarioMachine = { readonly instance: KubeObject; readonly owner: KubeObject | undefined };

export function scenarioMachines({ vms }: Scenario): readonly ScenarioMachine[] {
  return vms.flatMap((group) => Array.from({ length: group.count }, (_, index) => scenarioMachine(group, index)));
}

function scenarioMachine(group: VmGroup, index: number): ScenarioMachine {
  const { namespace, nodes = [], owner = "VirtualMachine", runStrategy = "Always" } = group;
  const name = `${group.name}-${index}`;
  const template = templateOf(group, index);
  const node = nodes[index % Math.max(1, nodes.length)];
  const metadata = {
    name,
    namespace,
    labels: template.metadata.labels,
    annotations: { ...template.metadata.annotations, ...(node !== undefined && { [firstNodeAnnotation]: node }) },
    ...(group.faults?.["never-ends"] !== undefined && { finalizers: [endlessFinalizer] }),
    ...(owner === "VirtualMachineInstanceReplicaSet" && { ownerReferences: [replicaSetReference(group.name)] }),
  };
  const instance = { apiVersion, kind: "VirtualMachineInstance", metadata, spec: template.spec };
  const machine = {
    apiVersion,
    kind: "VirtualMachine",
    metadata: { name, namespace },
    spec: { runStrategy, template },
  };
  return { instance, owner: owner === "VirtualMachine" ? machine : undefined };
}

/** The finalizer that keeps an object in the Terminating state. */
export const endlessFinalizer = `${faultPrefix}never-ends`;

function replicaSetReference(name: string): JsonMap {
  const uid = "00000000-0000-4000-8000-000000000000";
  return { apiVersion, kind: "VirtualMachineInstanceReplicaSet", name, uid, controller: true };
}

type MachineTemplate = {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: JsonMap;
};

function templateOf(group: VmGroup, index: number): MachineTemplate {
  const { name, memoryGiB, evictionStrategy, unmigratable, nodeSelector, gracePeriodSeconds, faults = {} } = group;
  const memory = memoryGiB[index % memoryGiB.length] ?? 1;
  const cores = group.cpus ?? Math.max(1, memory >> 2);
  const own = Object.entries(faults).map(([fault, value]) => [`${faultPrefix}${fault}`, value] as const);
  const annotations = {
    ...(unmigratable !== undefined && { [`${faultPrefix}unmigratable`]: unmigratable }),
    ...Object.fromEntries(own),
  };
  return {
    metadata: { labels: { "kubevirt.io/domain": `${name}-${index}` }, annotations },
    spec: {
      ...(evictionStrategy !== undefined && { evictionStrategy }),
      ...(nodeSelector !== undefined && { nodeSelector }),
      ...(gracePeriodSeconds !== undefined && { terminationGracePeriodSeconds: gracePeriodSeconds }),
      domain: { cpu: { cores }, devices: {}, memory: { guest: `${memory}Gi` } },
    },
  };
}

/** Returns the VMI that virt-controller creates from the template. */
export function instanceOf(owner: KubeObject): KubeObject {
  const { name, namespace = "", uid = "" } = owner.metadata;
  const { template } = owner["spec"] as {
    readonly template?: { readonly metadata?: JsonMap; readonly spec?: JsonMap };
  };
  const metadata = { ...template?.metadata, name, namespace, ownerReferences: [ownerReference(name, uid)] };
  return { apiVersion, kind: "VirtualMachineInstance", metadata, spec: template?.spec ?? {} };
}

export function ownedBy(instance: KubeObject, { metadata: { name, uid = "" } }: KubeObject): KubeObject {
  return { ...instance, metadata: { ...instance.metadata, ownerReferences: [ownerReference(name, uid)] } };
}

function ownerReference(name: string, uid: string): JsonMap {
  return { apiVersion, kind: "VirtualMachine", name, uid, controller: true, blockOwnerDeletion: true };
}

/** Returns the last migration for the VMI's status, or undefined if the scenario defines none. */
export function lastMigrationOf(
  { vms }: Scenario,
  { namespace, name }: KubeObject["metadata"],
  now: number,
): JsonMap | undefined {
  const group = vms.find((each) => each.namespace === namespace && name.replace(/-[0-9]+$/, "") === each.name);
  if (group?.lastMigrationPerGiB === undefined) return undefined;
  const index = Number(/[0-9]+$/.exec(name)?.[0]);
  const pace = group.lastMigrationPerGiB[index % group.lastMigrationPerGiB.length] ?? 0;
  const ms = pace * (group.memoryGiB[index % group.memoryGiB.length] ?? 1) * 1000;
  const times = { startTimestamp: writeTime(now - ms), endTimestamp: writeTime(now) };
  return { migrationUid: "before", mode: "PreCopy", completed: true, ...times };
}
