// Finds a node with enough free memory for a VM. Reservations last until the end of the round.

import { type NodeFact, readNodeFact, readPlacement, readVmFact, requestOf } from "@virt/cluster";
import { qualifies } from "@virt/impact";
import { asText, at, type Json, type KubeObject, readBytes } from "@virt/objects";
import { type ClusterState, findObject, virtSettings } from "./cluster-state.ts";
import { isFinishedMachine, namespacedName, nodeOfMachine } from "./evictions.ts";
import { seededRandom } from "./seeded-random.ts";

/** Returns 0 if the quantity is invalid. */
export function inGiB(quantity: Json | undefined): number {
  return (readBytes(quantity) ?? 0) / 2 ** 30;
}

export function memoryOf(machine: KubeObject): number {
  return inGiB(at(machine, "spec", "domain", "memory", "guest"));
}

export class Placement {
  readonly #cluster: ClusterState;
  readonly #free: Map<string, number>;
  readonly #overcommit: number;
  #nodes: readonly NodeFact[] | undefined;

  constructor(cluster: ClusterState) {
    this.#cluster = cluster;
    this.#overcommit = virtSettings(cluster).memoryOvercommit;
    this.#free = new Map(
      cluster
        .list("Node")
        .map((node) => [node.metadata.name, readBytes(at(node, "status", "allocatable", "memory")) ?? 0]),
    );
    for (const machine of cluster.list("VirtualMachineInstance")) {
      const node = nodeOfMachine(machine);
      if (node !== undefined && !isFinishedMachine(machine)) this.reserve(node, machine);
    }
  }

  reserve(node: string, machine: KubeObject): void {
    this.#free.set(node, (this.#free.get(node) ?? 0) - requestBytes(machine, this.#overcommit));
  }

  /** Chooses the node with the most free memory and reserves the memory. The seed breaks ties. */
  chooseNode(machine: KubeObject): string | undefined {
    const { seed } = this.#cluster;
    const title = namespacedName(machine);
    const request = requestBytes(machine, this.#overcommit);
    const placement = readPlacement(machine);
    const free = (node: string) => this.#free.get(node) ?? 0;
    const [best] = this.#facts()
      .filter(
        (node) => node.name !== nodeOfMachine(machine) && free(node.name) >= request && qualifies(node, placement),
      )
      .map(({ name }) => name)
      .toSorted(
        (left, right) => free(right) - free(left) || seededRandom(seed, title, left) - seededRandom(seed, title, right),
      );
    if (best !== undefined) this.reserve(best, machine);
    return best;
  }

  #facts(): readonly NodeFact[] {
    this.#nodes ??= this.#cluster.list("Node").map(readNodeFact);
    return this.#nodes;
  }
}

const requests = new WeakMap<KubeObject, { readonly overcommit: number; readonly bytes: number }>();

// Cached, because each round adds up all VMs, but few of them change.
function requestBytes(machine: KubeObject, overcommit: number): number {
  const known = requests.get(machine);
  if (known?.overcommit === overcommit) return known.bytes;
  const bytes = requestOf(readVmFact(machine), { memoryOvercommit: overcommit });
  requests.set(machine, { overcommit, bytes });
  return bytes;
}

/** Reports whether the node accepts VMs that have no special placement rules. */
export function isSchedulable(node: KubeObject): boolean {
  return qualifies(readNodeFact(node), readPlacement({ apiVersion: "", kind: "", metadata: { name: "" } }));
}

export function findNode(cluster: ClusterState, name: string): KubeObject | undefined {
  return findObject(cluster, "Node", name);
}

export function statusPhase(object: KubeObject): string {
  return asText(at(object, "status", "phase")) ?? "";
}
