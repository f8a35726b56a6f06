// What becomes of virtual machines when their node is drained.

import { asText, at, compareUtf8, type KubeObject } from "@virt/engine";
import { type ClusterState, faultOf, findObject, indexOf, virtSettings } from "./cluster-state.ts";
import { hasJoined, readNode, workOf } from "./node-state.ts";
import { seededSuffix } from "./seeded-random.ts";

/** Those that run there, or are about to. */
export function machinesOn(cluster: ClusterState, node: string): readonly KubeObject[] {
  const there = indexOf(cluster.list("VirtualMachineInstance"), nodeKey).get(node) ?? [];
  return there.filter((machine) => !isFinishedMachine(machine));
}

function nodeKey(machine: KubeObject): string {
  return nodeOfMachine(machine) ?? "";
}

/** The pod in which it runs where it is: another one on each node. */
export function launcherName({ seed }: ClusterState, machine: KubeObject): string {
  const suffix =
    launcherSuffixes.get(machine) ?? seededSuffix(5, seed, "launcher", namespacedName(machine), nodeKey(machine));
  launcherSuffixes.set(machine, suffix);
  return `virt-launcher-${machine.metadata.name}-${suffix}`;
}

const launcherSuffixes = new WeakMap<KubeObject, string>(); // asked for in each round, and thousands of them

export function nodeOfMachine(machine: KubeObject): string | undefined {
  return asText(at(machine, "status", "nodeName"));
}

export function isFinishedMachine(machine: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes(asText(at(machine, "status", "phase")) ?? "");
}

export function namespacedName({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** There is nowhere to go on a single node, so that the operator does not drain it. */
export function isDrainNeeded(cluster: ClusterState): boolean {
  return at(findObject(cluster, "Infrastructure", "cluster"), "status", "controlPlaneTopology") !== "SingleReplica";
}

export function isDraining(cluster: ClusterState, node: KubeObject): boolean {
  const seen = readNode(node);
  if (!hasJoined(node) || !seen.isCordoned || seen.current === seen.desired || !isDrainNeeded(cluster)) return false;
  return seen.phase !== "Updated" && workOf(node) === "Draining";
}

/** Why it cannot migrate, if it cannot. */
export function migrationObstacle(machine: KubeObject): string | undefined {
  const fault = faultOf(machine, "unmigratable");
  if (fault !== undefined) return fault || "DisksNotLiveMigratable";
  return faultOf(machine, "migratability-unknown") === undefined ? undefined : "LiveMigratableUnknown";
}

/** `wait`: for the machine itself, which is not up yet, or for somebody else who moves it. */
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
      return "wait"; // External: somebody else would have to act
  }
}

/** What the eviction of its pod makes of the machine's status: the webhook marks it, for whoever moves it. */
export function isMarkedForEviction(cluster: ClusterState, machine: KubeObject): boolean {
  const strategy = asText(at(machine, "spec", "evictionStrategy")) ?? virtSettings(cluster).evictionStrategy;
  const isExternal = strategy === "External" && at(machine, "status", "phase") === "Running";
  return isExternal || evictionOf(cluster, machine) === "migrate";
}

/** The oldest first. */
export function byCreation(left: KubeObject, right: KubeObject): number {
  const age = ({ metadata }: KubeObject) =>
    `${asText(metadata["creationTimestamp"]) ?? ""} ${metadata.namespace ?? ""}/${metadata.name}`;
  return compareUtf8(age(left), age(right)); // times of the API server compare as text
}
