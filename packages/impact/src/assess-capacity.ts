// Whether the VMs of the nodes that drain together find room elsewhere, as far as anybody knows what becomes of them.

import type { Impact } from "@virt/api";
import type { CapacityShortage, ClusterRooms } from "./capacity.ts";
import { type DrainedVm, isOwnerUnread, type VmsByNode } from "./drained-vms.ts";
import type { AssessedPool } from "./pool-rollouts.ts";
import type { ClusterShape } from "./virt-settings.ts";
import type { VmFact } from "./vms.ts";

/** What decides about room. */
export type CapacityInput = {
  readonly rooms: ClusterRooms;
  readonly shape: ClusterShape;
  readonly runStrategies: ReadonlyMap<string, string>;
  /** Whether the VMs are known at all. */
  readonly isAssessed: boolean;
};

const MiB = 2 ** 20;

/**
 * The worst wave, if one leaves VMs without a node. Where none does, one VM that may have to move as well, that does not tell its memory,
 * or whose node is in no wave yet makes the answer unknown. Without a drain VMs come back where they were.
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
