// Limits the comparisons in an assessment, because it blocks the process and any user can create the objects that it
// compares.

import {
  type BudgetFact,
  type NodeFact,
  type PodFact,
  tooLargePlacement,
  type VmFact,
  type VmPlacement,
} from "@virt/cluster";
import { asList, compareUtf8, isMap, type Json, member } from "@virt/objects";
import { type Assessment, assessed } from "./assessed.ts";
import { isBudgetedPod, isBudgetOfPods } from "./drained-pods.ts";

/** The comparisons that an item needs. Items with the same key are evaluated together. */
export type ItemCost = { readonly namespace: string; readonly key: string; readonly cost: number };

/**
 * Returns the keys of items beyond the limit. The cheapest namespaces and items are admitted first, so that expensive
 * ones cannot displace them.
 */
function keysBeyondLimit(costs: readonly ItemCost[], most: number): ReadonlySet<string> {
  const namespaces = [...Map.groupBy(costs, ({ namespace }) => namespace)].map(([namespace, items]) => ({
    key: namespace,
    cost: items.reduce((sum, { cost }) => sum + cost, 0),
    items: items.toSorted(inCostOrder),
  }));
  const counted = new Set<string>();
  const beyond = new Set<string>();
  let left = most;
  for (const { key, cost } of namespaces.toSorted(inCostOrder).flatMap(({ items }) => items)) {
    if (counted.has(key)) continue;
    counted.add(key);
    left -= cost;
    if (left < 0) beyond.add(key);
  }
  return beyond;
}

type Ordered = Pick<ItemCost, "key" | "cost">;

function inCostOrder(left: Ordered, right: Ordered): number {
  return left.cost - right.cost || compareUtf8(left.key, right.key);
}

/** The maximum number of comparisons per assessment. See docs/decisions/0063-impact.md for measurements. */
const mostBudgetComparisons = 1_000_000;
/** Comparing a value of a requirement or expression is cheaper than comparing its label. */
const valuesPerComparison = 10;

/**
 * Marks budgets beyond the limit as too large. Returns the same list if there are none. The order of the list does not
 * matter.
 */
export function boundBudgets(budgets: readonly BudgetFact[], pods: readonly PodFact[]): readonly BudgetFact[] {
  const evicted = Map.groupBy(pods.filter(isBudgetedPod), ({ namespace }) => namespace);
  const costs = budgets.filter(isBudgetOfPods).map((budget) => ({
    namespace: budget.namespace,
    key: keyOf(budget),
    cost: costOfSelector(budget.selector) * (evicted.get(budget.namespace)?.length ?? 0),
  }));
  const beyond = keysBeyondLimit(costs, mostBudgetComparisons);
  if (beyond.size === 0) return budgets;
  return budgets.map((budget) =>
    beyond.has(keyOf(budget)) ? { ...budget, selector: undefined, isTooLarge: true } : budget,
  );
}

export function assessBudgets(
  budgets: Assessment<readonly BudgetFact[]>,
  podsByNode: ReadonlyMap<string, readonly PodFact[]>,
): Assessment<readonly BudgetFact[]> {
  return budgets.isAssessed ? assessed(boundBudgets(budgets.value, [...podsByNode.values()].flat())) : budgets;
}

function keyOf({ namespace, name }: BudgetFact): string {
  return `${namespace}/${name}`;
}

function costOfSelector(selector: Json | undefined): number {
  const labels = member(selector, "matchLabels");
  const expressions = asList(member(selector, "matchExpressions"));
  const values = expressions.reduce<number>((sum, each) => sum + asList(member(each, "values")).length, 0);
  return 1 + (isMap(labels) ? Object.keys(labels).length : 0) + expressions.length + values / valuesPerComparison;
}

/** The maximum number of comparisons per assessment. See docs/decisions/0063-impact.md for measurements. */
const mostPlacementComparisons = 600_000;

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
  const beyond = keysBeyondLimit(costs, mostPlacementComparisons);
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
