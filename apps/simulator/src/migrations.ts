// The state of migrations: their VM, progress and order, and the limits on parallel migrations.

import { asList, asText, at, compareUtf8, type JsonMap, type KubeObject, member } from "@virt/objects";
import { type ClusterState, faultPrefix, findNamespaced, indexOf, virtSettings } from "./cluster-state.ts";
import { byCreation, isFinishedMachine, namespacedName, nodeOfMachine } from "./evictions.ts";
import type { ObjectWrite } from "./object-writes.ts";
import { statusPhase } from "./placement.ts";
import { seededSuffix } from "./seeded-random.ts";

export function isFinishedMigration(migration: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes(statusPhase(migration));
}

/** Reports whether the migration counts towards the limit on parallel migrations. It does once its target pod is scheduled. */
export function hasLane(migration: KubeObject): boolean {
  return ["Scheduling", "Running"].includes(statusPhase(migration));
}

export function machineNameOf(migration: KubeObject): string {
  return `${migration.metadata.namespace ?? ""}/${asText(at(migration, "spec", "vmiName")) ?? ""}`;
}

export function findMachine(cluster: ClusterState, migration: KubeObject): KubeObject | undefined {
  const machine = findNamespaced(cluster, "VirtualMachineInstance", machineNameOf(migration));
  return machine === undefined || isFinishedMachine(machine) ? undefined : machine;
}

export function targetNodeOf(migration: KubeObject): string | undefined {
  return asText(at(migration, "status", "migrationState", "targetNode"));
}

/** Reports whether another migration may start from the node. If so, counts it. */
export type MigrationLanes = (node: string) => boolean;

export function migrationLanes(cluster: ClusterState, holders: readonly KubeObject[]): MigrationLanes {
  const { migrationsPerCluster, migrationsPerNode } = virtSettings(cluster);
  const sources = holders.map((migration) => nodeOfMachine(findMachine(cluster, migration) ?? migration) ?? "");
  return (node) => {
    const isFree =
      sources.length < migrationsPerCluster && sources.filter((source) => source === node).length < migrationsPerNode;
    if (isFree) sources.push(node);
    return isFree;
  };
}

/** Returns how many more evacuations may start for a node. Pending migrations do not count towards the limit. */
export function freeLanes(cluster: ClusterState, open: readonly KubeObject[], node: string): number {
  const { migrationsPerCluster, migrationsPerNode } = virtSettings(cluster);
  const holders = open.filter(hasLane);
  const fromHere = holders.filter((migration) => nodeOfMachine(findMachine(cluster, migration) ?? migration) === node);
  return Math.max(0, Math.min(migrationsPerCluster - holders.length, migrationsPerNode - fromHere.length));
}

export function countFailures(cluster: ClusterState, machine: KubeObject): number {
  const all =
    indexOf(cluster.list("VirtualMachineInstanceMigration"), machineNameOf).get(namespacedName(machine)) ?? [];
  const finished = all.filter(isFinishedMigration).toSorted(byRequestOrder).toReversed();
  const success = finished.findIndex((migration) => statusPhase(migration) === "Succeeded");
  return success === -1 ? finished.length : success;
}

const earlierPhases: Readonly<Record<string, readonly string[]>> = {
  Running: ["Pending", "Scheduling", "Scheduled", "PreparingTarget", "TargetReady"],
  Scheduling: ["Pending"],
};

/** Sets the phase and its timestamp. Also records skipped phases, which were too short to observe. */
export function phaseWrite(
  cluster: ClusterState,
  migration: KubeObject,
  phase: string,
  more: JsonMap = {},
): ObjectWrite {
  const known = asList(at(migration, "status", "phaseTransitionTimestamps"));
  const seen = new Set(known.map((each) => member(each, "phase")));
  const passed = [...(earlierPhases[phase] ?? []), phase].filter((each) => !seen.has(each));
  const phaseTransitionTimestamps = [
    ...known,
    ...passed.map((each) => ({ phase: each, phaseTransitionTimestamp: cluster.timestamp })),
  ];
  const fields = { status: { phase, phaseTransitionTimestamps, ...more } };
  return { kind: "set", object: migration, fields, isStatus: true, manager: "virt-controller" };
}

export function migrationRequest(cluster: ClusterState, machine: KubeObject, prefix: string): ObjectWrite {
  const { name: vmiName, namespace = "" } = machine.metadata;
  const name = `${prefix}-${freeSuffix(cluster, machine, prefix)}`;
  const annotations = { "kubevirt.io/evacuationMigration": nodeOfMachine(machine) ?? "", ...nextRequestOrder(cluster) };
  const object = {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstanceMigration",
    metadata: { name, namespace, annotations },
    spec: { vmiName },
  };
  return { kind: "create", object, manager: "virt-controller" };
}

function freeSuffix(cluster: ClusterState, machine: KubeObject, prefix: string): string {
  for (let attempt = 0; ; attempt++) {
    const suffix = seededSuffix(5, cluster.seed, namespacedName(machine), `${attempt}`);
    const name = `${machine.metadata.namespace ?? ""}/${prefix}-${suffix}`;
    if (findNamespaced(cluster, "VirtualMachineInstanceMigration", name) === undefined) return suffix;
  }
}

// Orders migrations. creationTimestamp is in real time, so using it would make runs differ.
const requestOrder = `${faultPrefix}turn`;

/** Returns the order number for this round, which is greater than those of all earlier rounds. */
function nextRequestOrder(cluster: ClusterState): Readonly<Record<string, string>> {
  const turns = cluster.list("VirtualMachineInstanceMigration").map(requestOrderOf);
  return { [requestOrder]: `${turns.reduce((most, turn) => Math.max(most, turn), 0) + 1}` };
}

/** Sorts migrations that other clients created first, oldest first. The simulator's own follow, in request order. */
export function byRequestOrder(left: KubeObject, right: KubeObject): number {
  const order = requestOrderOf(left) - requestOrderOf(right);
  if (order !== 0) return order;
  return requestOrderOf(left) === 0
    ? byCreation(left, right)
    : compareUtf8(namespacedName(left), namespacedName(right));
}

function requestOrderOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[requestOrder]) || 0;
}
