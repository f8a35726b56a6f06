// Simulates how a node drain affects VMs.

import { asText, at, compareUtf8, type KubeObject } from "@virt/objects";
import { type ClusterState, faultOf, findObject, indexOf, virtSettings } from "./cluster-state.ts";
import { hasJoined, readNode, workOf } from "./node-state.ts";
import { seededSuffix } from "./seeded-random.ts";

export function machinesOn(cluster: ClusterState, node: string): readonly KubeObject[] {
  const there = indexOf(cluster.list("VirtualMachineInstance"), nodeKey).get(node) ?? [];
  return there.filter((machine) => !isFinishedMachine(machine));
}

function nodeKey(machine: KubeObject): string {
  return nodeOfMachine(machine) ?? "";
}

/** Returns the name of the launcher pod, which differs on each node. */
export function launcherName({ seed }: ClusterState, machine: KubeObject): string {
  const suffix =
    launcherSuffixes.get(machine) ?? seededSuffix(5, seed, "launcher", namespacedName(machine), nodeKey(machine));
  launcherSuffixes.set(machine, suffix);
  return `virt-launcher-${machine.metadata.name}-${suffix}`;
}

const launcherSuffixes = new WeakMap<KubeObject, string>();

export function nodeOfMachine(machine: KubeObject): string | undefined {
  return asText(at(machine, "status", "nodeName"));
}

export function isFinishedMachine(machine: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes(asText(at(machine, "status", "phase")) ?? "");
}

export function namespacedName({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** Reports whether nodes are drained. A single-node cluster is not, because its pods cannot run elsewhere. */
export function isDrainNeeded(cluster: ClusterState): boolean {
  return at(findObject(cluster, "Infrastructure", "cluster"), "status", "controlPlaneTopology") !== "SingleReplica";
}

export function isDraining(cluster: ClusterState, node: KubeObject): boolean {
  const seen = readNode(node);
  if (!hasJoined(node) || !seen.isCordoned || seen.current === seen.desired || !isDrainNeeded(cluster)) return false;
  return seen.phase !== "Updated" && workOf(node) === "Draining";
}

export function migrationObstacle(machine: KubeObject): string | undefined {
  const fault = faultOf(machine, "unmigratable");
  if (fault !== undefined) return fault || "DisksNotLiveMigratable";
  return faultOf(machine, "migratability-unknown") === undefined ? undefined : "LiveMigratableUnknown";
}

/** The effect of an eviction on a VM. `wait` means that the VM is not running, or that another controller moves it. */
type Eviction = "migrate" | "shut down" | "refuse" | "wait";

export function evictionOf(cluster: ClusterState, machine: KubeObject): Eviction {
  const isLeaving = at(machine, "metadata", "deletionTimestamp") !== undefined;
  if (at(machine, "status", "phase") !== "Running" || isLeaving) return "wait";
  const strategy = asText(at(machine, "spec", "evictionStrategy")) ?? virtSettings(cluster).evictionStrategy;
  const canMigrate = migrationObstacle(machine) === undefined;
  switch (strategy) {
    case "None":
      return "shut down";
    case "LiveMigrateIfPossible":
      return canMigrate ? "migrate" : "shut down";
    case "LiveMigrate":
      return canMigrate ? "migrate" : "refuse";
    default:
      return "wait"; // External: its controller must act
  }
}

/** Reports whether the eviction webhook marks the VMI for migration. */
export function isMarkedForEviction(cluster: ClusterState, machine: KubeObject): boolean {
  const strategy = asText(at(machine, "spec", "evictionStrategy")) ?? virtSettings(cluster).evictionStrategy;
  const isExternal = strategy === "External" && at(machine, "status", "phase") === "Running";
  return isExternal || evictionOf(cluster, machine) === "migrate";
}

export function byCreation(left: KubeObject, right: KubeObject): number {
  const age = ({ metadata }: KubeObject) =>
    `${asText(metadata["creationTimestamp"]) ?? ""} ${metadata.namespace ?? ""}/${metadata.name}`;
  return compareUtf8(age(left), age(right));
}
