// What becomes of virtual machines when their node is drained.

import { asText, at, compareUtf8, type KubeObject } from "@virt/engine";
import { clusterEvictionStrategy } from "./hco.ts";
import { readNode, workOf } from "./node-state.ts";
import { faultOf, find, type World } from "./world.ts";

/** Those that run there, or are about to. */
export function machinesOn(world: World, node: string): readonly KubeObject[] {
  return world.of("VirtualMachineInstance").filter((machine) => nodeOf(machine) === node && !isOver(machine));
}

export function nodeOf(machine: KubeObject): string | undefined {
  return asText(at(machine, "status", "nodeName"));
}

export function isOver(machine: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes(asText(at(machine, "status", "phase")) ?? "");
}

export function titleOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** There is nowhere to go on a single node, so that the operator does not drain it. */
export function isDrainNeeded(world: World): boolean {
  return at(find(world, "Infrastructure", "cluster"), "status", "controlPlaneTopology") !== "SingleReplica";
}

export function isDraining(world: World, node: KubeObject): boolean {
  const seen = readNode(node);
  if (seen === undefined || !seen.isCordoned || seen.current === seen.desired || !isDrainNeeded(world)) return false;
  return seen.phase !== "Updated" && workOf(node) === "Draining";
}

/** Why it cannot migrate, if it cannot. */
export function hindrance(machine: KubeObject): string | undefined {
  const fault = faultOf(machine, "unmigratable");
  return fault === undefined ? undefined : fault || "DisksNotLiveMigratable";
}

export type Eviction = "migrate" | "shut down" | "refuse";

export function evictionOf(world: World, machine: KubeObject): Eviction {
  const strategy = asText(at(machine, "spec", "evictionStrategy")) ?? clusterEvictionStrategy(world);
  const canMigrate = hindrance(machine) === undefined;
  switch (strategy) {
    case "None":
      return "shut down";
    case "LiveMigrateIfPossible":
      return canMigrate ? "migrate" : "shut down";
    case "LiveMigrate":
      return canMigrate ? "migrate" : "refuse";
    default:
      return "refuse"; // External: somebody else would have to act
  }
}

/** Machines that keep a node from being drained, until somebody does something about them. */
export function drainBlockers(world: World, node: string): readonly KubeObject[] {
  return machinesOn(world, node).filter((machine) => evictionOf(world, machine) === "refuse");
}

/** The oldest first. */
export function byAge(left: KubeObject, right: KubeObject): number {
  const age = ({ metadata }: KubeObject) =>
    `${asText(metadata["creationTimestamp"]) ?? ""} ${metadata.namespace ?? ""}/${metadata.name}`;
  return compareUtf8(age(left), age(right)); // times of the API server compare as text
}
