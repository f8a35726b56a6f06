// Limits the time for comparing placements, because an assessment is synchronous and must not block the process.

import { type NodeFact, tooLargePlacement, type VmFact, type VmPlacement } from "@virt/cluster";
import { asList, type Json, member } from "@virt/objects";
import { type ItemCost, keysBeyondLimit } from "./cost-limit.ts";

/** The maximum number of comparisons per assessment. See docs/decisions/0063-impact.md for measurements. */
const mostComparisons = 600_000;
/** This many values of a requirement count as one comparison, because comparing a value is cheap. */
const valuesPerComparison = 10;

/**
 * Marks placements beyond the limit as too large. Returns the same list if there are none. The order of the list does
 * not matter.
 */
export function boundPlacements(vms: readonly VmFact[], nodes: readonly NodeFact[]): readonly VmFact[] {
  const counts = { nodes: nodes.length, taints: nodes.reduce((sum, { taints }) => sum + taints.length, 0) };
  const costs = [...Map.groupBy(vms, ({ namespace }) => namespace)].flatMap(([namespace, found]) => {
    const distinct = new Map(found.map(({ placement }) => [placement.key, placement]));
    return [...distinct.values()].map((placement): ItemCost => ({ namespace, ...costOf(placement, counts) }));
  });
  const beyond = keysBeyondLimit(costs, mostComparisons);
  if (beyond.size === 0) return vms;
  return vms.map((vm) => (beyond.has(vm.placement.key) ? { ...vm, placement: tooLargePlacement } : vm));
}

type PlacementCost = Omit<ItemCost, "namespace">;
type ComparedCounts = { readonly nodes: number; readonly taints: number };

function costOf({ key, ...placement }: VmPlacement, { nodes, taints }: ComparedCounts): PlacementCost {
  const { nodeSelector, affinityTerms = [], tolerations } = placement;
  const terms = affinityTerms.reduce<number>((sum, term) => sum + costOfTerm(term), 0);
  const perNode = 1 + Object.keys(nodeSelector).length + terms;
  return { key, cost: perNode * nodes + tolerations.length * taints };
}

function costOfTerm(term: Json): number {
  const requirements = [...asList(member(term, "matchExpressions")), ...asList(member(term, "matchFields"))];
  const values = requirements.reduce<number>((sum, one) => sum + asList(member(one, "values")).length, 0);
  return 1 + requirements.length + values / valuesPerComparison;
}
