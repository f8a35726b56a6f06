// Assesses whether the VMs on nodes that drain at the same time fit on other nodes.

import type { Impact } from "@virt/api";
import { type ClusterShape, type VmFact } from "@virt/cluster";
import type { CapacityShortage, ClusterRooms } from "./capacity.ts";
import { type DrainedVm, isOwnerUnread, type VmsByNode } from "./drained-vms.ts";
import type { AssessedPool } from "./pool-rollouts.ts";

export type CapacityInput = {
  readonly rooms: ClusterRooms;
  readonly shape: ClusterShape;
  readonly runStrategies: ReadonlyMap<string, string>;
  /** False if the VMs could not be read. */
  readonly isAssessed: boolean;
};

const MiB = 2 ** 20;

/**
 * Returns the capacity for the wave of nodes with the largest shortage. If there is no shortage but some VMs cannot be
 * assessed, returns `Unknown`.
 */
export function assessCapacity(
  pools: readonly AssessedPool[],
  byNode: VmsByNode,
  { rooms, shape, runStrategies, isAssessed }: CapacityInput,
): Impact["capacity"] {
  const none = { nodes: [], unplacedVMs: 0, unplacedMiB: 0 };
  if (!isAssessed) return { fits: "Unknown", ...none };
  if (shape.isSingleReplica) return { fits: "Yes", ...none };
  const isMoving = ({ outcome }: DrainedVm) => outcome === "migrate" || outcome === "restart";
  const movingFrom = (names: readonly string[]) =>
    names.flatMap((name) => (byNode.get(name) ?? []).filter(isMoving).map(({ vm }) => vm));
  const shortages = pools.flatMap(({ waves }) =>
    waves.flatMap((wave) => rooms.placeWave(wave, movingFrom(wave)) ?? []),
  );
  const worst = shortages.reduce<CapacityShortage | undefined>(
    (most, each) => (each.unplacedBytes > (most?.unplacedBytes ?? 0) ? each : most),
    undefined,
  );
  if (worst !== undefined)
    return {
      fits: "No",
      nodes: worst.nodes,
      unplacedVMs: worst.unplacedVms,
      unplacedMiB: Math.ceil(worst.unplacedBytes / MiB),
    };
  const mayMove = (each: DrainedVm) => each.outcome === "unknown" || isOwnerUnread(each, runStrategies);
  const inWave = new Set(pools.flatMap(({ waves }) => waves.flat()));
  const isPlaced = (each: DrainedVm) => !isMoving(each) || (isSized(each.vm) && inWave.has(each.vm.node));
  const isKnown = [...byNode.values()].flat().every((each) => !mayMove(each) && isPlaced(each));
  return { fits: isKnown ? "Yes" : "Unknown", ...none };
}

function isSized({ guestMemory, requestedMemory }: VmFact): boolean {
  return guestMemory !== undefined || requestedMemory !== undefined;
}
