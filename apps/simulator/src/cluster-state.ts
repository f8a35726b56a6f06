// The cluster as simulated controllers see it in one round: objects, the HyperConverged, conditions and faults.

import { readVirtSettings, type VirtSettings } from "@virt/cluster";
import type { InformerSpec } from "@virt/kube";
import { asList, asText, at, type Json, type JsonMap, type KubeObject, member } from "@virt/objects";
import type { ObjectWrite } from "./object-writes.ts";
import type { Durations, Scenario } from "./scenario.ts";
import { seededRandom } from "./seeded-random.ts";
import type { SimulatedTimers } from "./simulated-timers.ts";

export type ClusterState = {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly timestamp: string;
  readonly list: (kind: Kind) => readonly KubeObject[];
  readonly servedVersion: (kind: Kind) => string | undefined;
  readonly createdKeys: ReadonlySet<string>; // all scenario objects created so far, including deleted ones
};

/** Returns the required writes, as a pure function of the current cluster. */
export type SimulatedController = (cluster: ClusterState, timers: SimulatedTimers) => readonly ObjectWrite[];

/** Returns a duration of the scenario in milliseconds, randomly varied by up to 20%. The words seed the variation. */
export function simulatedMs(
  { seed, scenario }: ClusterState,
  what: keyof Durations | { readonly seconds: number },
  ...words: readonly string[]
): number {
  const seconds = typeof what === "string" ? scenario.durations[what] : what.seconds;
  return seconds * 1000 * (0.8 + 0.4 * seededRandom(seed, "lasting", ...words));
}

export function findObject(cluster: ClusterState, kind: Kind, name: string): KubeObject | undefined {
  return indexOf(cluster.list(kind), byName).get(name)?.[0];
}

const byName = ({ metadata }: KubeObject) => metadata.name;
const byNamespace = ({ metadata }: KubeObject) => `${metadata.namespace ?? ""}/${metadata.name}`;

export function findNamespaced(cluster: ClusterState, kind: Kind, namespacedName: string): KubeObject | undefined {
  return indexOf(cluster.list(kind), byNamespace).get(namespacedName)?.[0];
}

type ObjectIndex = ReadonlyMap<string, readonly KubeObject[]>;
const indexes = new WeakMap<readonly KubeObject[], Map<(object: KubeObject) => string, ObjectIndex>>();

/** Indexes objects by a key. Cached per list, because each round looks up thousands of VMs. */
export function indexOf(objects: readonly KubeObject[], key: (object: KubeObject) => string): ObjectIndex {
  const known = indexes.get(objects) ?? new Map<(object: KubeObject) => string, ObjectIndex>();
  indexes.set(objects, known);
  const index = known.get(key) ?? Map.groupBy(objects, key);
  known.set(key, index);
  return index;
}

export const faultPrefix = "simulator.kubevirt.io/";

export function faultOf({ metadata }: KubeObject, name: string): string | undefined {
  return metadata.annotations?.[`${faultPrefix}${name}`];
}

const machineConfiguration = "machineconfiguration.openshift.io/v1";

const apiVersions = {
  Node: ["v1"],
  MachineConfig: [machineConfiguration],
  MachineConfigPool: [machineConfiguration],
  MachineConfigNode: [machineConfiguration],
  KubeletConfig: [machineConfiguration],
  MachineConfiguration: ["operator.openshift.io/v1"],
  KubeVirt: ["kubevirt.io/v1"],
  VirtualMachine: ["kubevirt.io/v1"],
  VirtualMachineInstance: ["kubevirt.io/v1"],
  VirtualMachineInstanceMigration: ["kubevirt.io/v1"],
  HyperConverged: ["hco.kubevirt.io/v1", "hco.kubevirt.io/v1beta1"],
  KubeDescheduler: ["operator.openshift.io/v1"],
  Infrastructure: ["config.openshift.io/v1"],
  Scheduler: ["config.openshift.io/v1"],
  DaemonSet: ["apps/v1"],
  Deployment: ["apps/v1"],
  CustomResourceDefinition: ["apiextensions.k8s.io/v1"],
  Namespace: ["v1"],
  Pod: ["v1"],
  PodDisruptionBudget: ["policy/v1"],
  UIPlugin: ["observability.openshift.io/v1alpha1"],
  MetalLB: ["metallb.io/v1beta1"],
  ForkliftController: ["forklift.konveyor.io/v1beta1"],
  MigrationPolicy: ["migrations.kubevirt.io/v1alpha1"],
  MachineHealthCheck: ["machine.openshift.io/v1beta1"],
  NodeHealthCheck: ["remediation.medik8s.io/v1alpha1"],
  SelfNodeRemediation: ["self-node-remediation.medik8s.io/v1alpha1"],
  SelfNodeRemediationTemplate: ["self-node-remediation.medik8s.io/v1alpha1"],
  FenceAgentsRemediation: ["fence-agents-remediation.medik8s.io/v1alpha1"],
  FenceAgentsRemediationTemplate: ["fence-agents-remediation.medik8s.io/v1alpha1"],
} as const;

export type Kind = keyof typeof apiVersions;

export const allKinds = Object.keys(apiVersions) as readonly Kind[];

export function isKind(name: string): name is Kind {
  return Object.hasOwn(apiVersions, name);
}

/** Drops managedFields. With them, 5,000 VMs would exceed an informer's size limit. */
const withoutOwners: InformerSpec["projection"] = {
  keep: "members",
  members: [["metadata", { beginsNot: ["managedFields"] }], ["spec"], ["status"]],
};

/** For these kinds, the simulator reads only the object with this name. */
const onlyNames: ReadonlyMap<Kind, string> = new Map<Kind, string>([
  ["DaemonSet", "wasp-agent"],
  ["Deployment", "virt-platform-autopilot"],
  ["CustomResourceDefinition", "kubedeschedulers.operator.openshift.io"],
]);

export function simulatorInformers(kind: Kind): readonly InformerSpec[] {
  const name = onlyNames.get(kind);
  const only = name === undefined ? {} : { name };
  return apiVersions[kind].map((apiVersion) => ({ apiVersion, kind, ...only, projection: withoutOwners }));
}

export function hyperConvergedObject(cluster: ClusterState): KubeObject | undefined {
  return cluster.list("HyperConverged")[0];
}

export function hcoField(hco: KubeObject | undefined, ...path: readonly string[]): Json | undefined {
  const isNew = hco?.apiVersion === "hco.kubevirt.io/v1";
  return at(hco, "spec", ...(isNew ? ["virtualization"] : []), ...path);
}

/** Returns KubeVirt's eviction and migration settings. Uses the settings of the HCO as a fallback. */
export function virtSettings(cluster: ClusterState): VirtSettings & { readonly evictionStrategy: string } {
  const settings = readVirtSettings(cluster.list("KubeVirt")[0], hyperConvergedObject(cluster));
  return { ...settings, evictionStrategy: settings.evictionStrategy ?? "LiveMigrate" };
}

export type SimulatedCondition = {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
};

export function withTransitionTimes(
  object: KubeObject,
  wanted: readonly SimulatedCondition[],
  wall: string,
): readonly JsonMap[] {
  const present = asList(at(object, "status", "conditions"));
  return wanted.map((condition) => {
    const before = present.find((each) => member(each, "type") === condition.type);
    const isSame = member(before, "status") === condition.status;
    return {
      ...condition,
      lastTransitionTime: (isSame ? asText(member(before, "lastTransitionTime")) : undefined) ?? wall,
    };
  });
}

export function conditionStatus(object: KubeObject, type: string): string | undefined {
  const found = asList(at(object, "status", "conditions")).find((each) => member(each, "type") === type);
  return asText(member(found, "status"));
}
