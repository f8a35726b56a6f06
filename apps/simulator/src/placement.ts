// Where virtual machines find room. What is given away in a round counts at once.

import { asText, at, entriesOf, isMap, type Json, type KubeObject } from "@virt/engine";
import { chance } from "./chance.ts";
import { isOver, nodeOf, titleOf } from "./evictions.ts";
import { isReady } from "./node-state.ts";
import { find, type World } from "./world.ts";

const unitsInGiB: Readonly<Record<string, number>> = {
  "": 2 ** -30,
  Ki: 2 ** -20,
  Mi: 2 ** -10,
  Gi: 1,
  Ti: 2 ** 10,
  k: 1e3 / 2 ** 30,
  M: 1e6 / 2 ** 30,
  G: 1e9 / 2 ** 30,
  T: 1e12 / 2 ** 30,
};

/** Zero for what is no quantity of bytes. */
export function inGiB(quantity: Json | undefined): number {
  const [, amount = "", unit = ""] = /^([0-9]+(?:\.[0-9]+)?)([KMGT]i|[kMGT])?$/.exec(asText(quantity) ?? "") ?? [];
  return Number(amount) * (unitsInGiB[unit] ?? 0);
}

export function memoryOf(machine: KubeObject): number {
  return inGiB(at(machine, "spec", "domain", "memory", "guest"));
}

export class Placement {
  readonly #world: World;
  readonly #free: Map<string, number>;

  constructor(world: World) {
    this.#world = world;
    this.#free = new Map(
      world.of("Node").map((node) => [node.metadata.name, inGiB(at(node, "status", "allocatable", "memory"))]),
    );
    for (const machine of world.of("VirtualMachineInstance")) {
      const node = nodeOf(machine);
      if (node !== undefined && !isOver(machine)) this.reserve(node, machine);
    }
  }

  reserve(node: string, machine: KubeObject): void {
    this.#free.set(node, (this.#free.get(node) ?? 0) - memoryOf(machine));
  }

  /** The node with most room, reserved for the machine; the seed decides among equals. */
  choose(machine: KubeObject): string | undefined {
    const { seed } = this.#world;
    const title = titleOf(machine);
    const free = (node: string) => this.#free.get(node) ?? 0;
    const [best] = this.#world
      .of("Node")
      .filter((node) => node.metadata.name !== nodeOf(machine) && isOpen(node) && isWanted(machine, node))
      .map(({ metadata }) => metadata.name)
      .filter((node) => free(node) >= memoryOf(machine))
      .toSorted((left, right) => free(right) - free(left) || chance(seed, title, left) - chance(seed, title, right));
    if (best !== undefined) this.reserve(best, machine);
    return best;
  }
}

export function isOpen(node: KubeObject): boolean {
  const isSchedulable = node.metadata.labels?.["kubevirt.io/schedulable"] === "true";
  return isSchedulable && isReady(node) && at(node, "spec", "unschedulable") !== true;
}

function isWanted(machine: KubeObject, node: KubeObject): boolean {
  const selector = at(machine, "spec", "nodeSelector");
  return !isMap(selector) || entriesOf(selector).every(([key, value]) => node.metadata.labels?.[key] === value);
}

export function nodeNamed(world: World, name: string): KubeObject | undefined {
  return find(world, "Node", name);
}

export function phaseOf(object: KubeObject): string {
  return asText(at(object, "status", "phase")) ?? "";
}
