// Finds room for the VMs of a wave on other nodes, by memory.

import { isOnNode, type NodeFact, requestOf, type VirtSettings, type VmFact, type VmPlacement } from "@virt/cluster";
import { compareUtf8 } from "@virt/objects";
import { nodeMatcher } from "./placement.ts";

/** A node and its free memory in bytes. */
type Room = { readonly node: NodeFact; readonly free: number };

/** The nodes that accept a VM, sorted by free memory and then by name. `free` is their total free memory. */
type QualifiedRooms = {
  readonly emptiestFirst: readonly number[];
  /** 1 for each accepting node. An array is used because a Set would be too slow for thousands of placements. */
  readonly isPlace: Uint8Array;
  readonly free: number;
};

export type CapacityShortage = {
  readonly nodes: readonly string[];
  readonly unplacedVms: number;
  readonly unplacedBytes: number;
};

export class ClusterRooms {
  readonly #rooms: readonly Room[];
  readonly #emptiestFirst: readonly number[];
  readonly #settings: Pick<VirtSettings, "memoryOvercommit">;
  readonly #qualified = new Map<string, QualifiedRooms>();
  readonly #places: ReadonlyMap<string, number>;

  constructor(nodes: readonly NodeFact[], vms: readonly VmFact[], settings: Pick<VirtSettings, "memoryOvercommit">) {
    const used = new Map<string, number>();
    for (const vm of vms) if (isOnNode(vm)) used.set(vm.node, (used.get(vm.node) ?? 0) + requestOf(vm, settings));
    this.#settings = settings;
    // Reserves 10% for other pods.
    this.#rooms = nodes
      .toSorted((left, right) => compareUtf8(left.name, right.name))
      .map((node) => ({
        node,
        free: Math.floor(((node.allocatableMemory ?? 0) * 9) / 10) - (used.get(node.name) ?? 0),
      }));
    this.#emptiestFirst = this.#rooms
      .map((_, at) => at)
      .toSorted((left, right) => this.#freeOf(right) - this.#freeOf(left));
    this.#places = new Map(this.#rooms.map(({ node: { name } }, at) => [name, at]));
  }

  /** Reports whether any node outside the wave accepts the VM, regardless of free memory. */
  hasTarget(placement: VmPlacement, wave: ReadonlySet<string>): boolean {
    return this.#qualifiedFor(placement).emptiestFirst.some((at) => !wave.has(this.#rooms[at]?.node.name ?? ""));
  }

  /** Returns the most free memory on any node outside the wave that accepts the VM, in bytes, or undefined if there is none. */
  mostFree(placement: VmPlacement, wave: ReadonlySet<string>): number | undefined {
    const [first] = this.#targets(placement, wave, 1);
    return first === undefined ? undefined : this.#rooms[first]?.free;
  }

  /** Places VMs by size, largest first, each on the node with the most free memory. Returns undefined if all fit. */
  placeWave(wave: readonly string[], vms: readonly VmFact[]): CapacityShortage | undefined {
    if (this.#hasAmpleRoom(wave, vms)) return undefined;
    const leaving = new Set(wave);
    const remaining = new Map<number, number>();
    const freeOf = (at: number) => remaining.get(at) ?? this.#freeOf(at);
    const targets = new Map<string, TargetQueue>();
    const requests = vms
      .map((vm) => ({ vm, bytes: requestOf(vm, this.#settings) }))
      .toSorted((left, right) => right.bytes - left.bytes || inNameOrder(left.vm, right.vm));
    const unplaced = requests.filter(({ vm: { placement }, bytes }) => {
      const queue =
        targets.get(placement.key) ?? new TargetQueue(this.#targets(placement, leaving, vms.length), freeOf);
      targets.set(placement.key, queue);
      const target = queue.emptiest();
      if (target === undefined || target.free < bytes) return true;
      remaining.set(target.at, target.free - bytes);
      return false;
    });
    if (unplaced.length === 0) return undefined;
    const unplacedBytes = unplaced.reduce((sum, { bytes }) => sum + bytes, 0);
    return { nodes: wave, unplacedVms: unplaced.length, unplacedBytes };
  }

  // Makes it possible to skip most placements. If the mean free memory of all targets still covers the largest VM after
  // all placements, the target with the most free memory always fits the next VM.
  #hasAmpleRoom(wave: readonly string[], vms: readonly VmFact[]): boolean {
    const largest = new Map<string, { readonly placement: VmPlacement; readonly bytes: number }>();
    let total = 0;
    for (const vm of vms) {
      const { placement } = vm;
      const bytes = requestOf(vm, this.#settings);
      total += bytes;
      if (bytes > (largest.get(placement.key)?.bytes ?? -1)) largest.set(placement.key, { placement, bytes });
    }
    return [...largest.values()].every(({ placement, bytes }) => {
      const { emptiestFirst, isPlace, free } = this.#qualifiedFor(placement);
      const leaving = wave.flatMap((name) => {
        const at = this.#places.get(name);
        return at !== undefined && isPlace[at] === 1 ? [Math.max(0, this.#rooms[at]?.free ?? 0)] : [];
      });
      const left = leaving.reduce((sum, each) => sum - each, free);
      const targets = emptiestFirst.length - leaving.length;
      return targets > 0 && left - total >= targets * bytes;
    });
  }

  // Returns the `most` nodes with the most free memory, because n VMs never need more than n nodes.
  #targets(placement: VmPlacement, leaving: ReadonlySet<string>, most: number): readonly number[] {
    const found: number[] = [];
    for (const at of this.#qualifiedFor(placement).emptiestFirst) {
      if (found.length === most) break;
      if (!leaving.has(this.#rooms[at]?.node.name ?? "")) found.push(at);
    }
    return found;
  }

  // Memoized, because thousands of VMs share a few placements.
  #qualifiedFor(placement: VmPlacement): QualifiedRooms {
    const known = this.#qualified.get(placement.key);
    if (known !== undefined) return known;
    const isQualified = nodeMatcher(placement);
    const emptiestFirst = this.#emptiestFirst.filter((at) => {
      const room = this.#rooms[at];
      return room !== undefined && isQualified(room.node);
    });
    const isPlace = new Uint8Array(this.#rooms.length);
    let free = 0;
    for (const at of emptiestFirst) {
      isPlace[at] = 1;
      free += Math.max(0, this.#freeOf(at));
    }
    const found = { emptiestFirst, isPlace, free };
    this.#qualified.set(placement.key, found);
    return found;
  }

  #freeOf(at: number): number {
    return this.#rooms[at]?.free ?? 0;
  }
}

type Target = { readonly at: number; readonly free: number };

/**
 * A queue of nodes by free memory. Several queues share the same nodes, so the position of an entry may be out of date
 * until it is first.
 */
class TargetQueue {
  readonly #entries: Target[];
  readonly #freeOf: (at: number) => number;

  constructor(nodes: readonly number[], freeOf: (at: number) => number) {
    this.#freeOf = freeOf;
    this.#entries = nodes.map((at) => ({ at, free: freeOf(at) }));
    this.#entries.sort((left, right) => right.free - left.free || left.at - right.at);
  }

  emptiest(): Target | undefined {
    for (let [first] = this.#entries; first !== undefined; [first] = this.#entries) {
      const free = this.#freeOf(first.at);
      if (free === first.free) return first;
      this.#entries.shift();
      this.#insert({ at: first.at, free });
    }
    return undefined;
  }

  #insert(entry: Target): void {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#entries[middle];
      const isBefore = other !== undefined && (other.free - entry.free || entry.at - other.at) > 0;
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    this.#entries.splice(low, 0, entry);
  }
}

export function inNameOrder(
  left: { readonly namespace: string; readonly name: string },
  right: { readonly namespace: string; readonly name: string },
): number {
  const isSameNamespace = left.namespace === right.namespace;
  return (isSameNamespace ? 0 : compareUtf8(left.namespace, right.namespace)) || compareUtf8(left.name, right.name);
}
