// Bounds the time that node affinities of all VMs together may take: an assessment must not hold up everything else.

import { compareUtf8 } from "@virt/engine";
import { tooLargePlacement, type VmPlacement } from "./placement.ts";
import type { VmFact } from "./vms.ts";

/** Comparisons of one term with one node, for all VMs of an assessment: about half a second. */
const mostComparisons = 500_000;

/**
 * Returns the VMs with those placements that can be evaluated in time, the cheapest first; the others count as too large. The order of
 * VMs makes no difference, and the same list is returned if all placements can be evaluated.
 */
export function boundPlacements(vms: readonly VmFact[], nodes: number): readonly VmFact[] {
  const distinct = new Map<string, VmPlacement>();
  for (const { placement } of vms) if (placement.affinityTerms !== undefined) distinct.set(placement.key, placement);
  let left = mostComparisons;
  const beyond = new Set<string>();
  for (const { key, cost } of [...distinct.values()].map(costOf).toSorted(inCostOrder)) {
    left -= cost * nodes;
    if (left < 0) beyond.add(key);
  }
  if (beyond.size === 0) return vms;
  return vms.map((vm) => (beyond.has(vm.placement.key) ? { ...vm, placement: tooLargePlacement } : vm));
}

type PlacementCost = { readonly key: string; readonly cost: number };

function costOf({ key, affinityTerms = [] }: VmPlacement): PlacementCost {
  return { key, cost: affinityTerms.length };
}

function inCostOrder(left: PlacementCost, right: PlacementCost): number {
  return left.cost - right.cost || compareUtf8(left.key, right.key);
}
