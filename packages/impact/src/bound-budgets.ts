// Limits the time that is spent on matching pods with the selectors of PodDisruptionBudgets.

import { type BudgetFact, type PodFact } from "@virt/cluster";
import { asList, isMap, type Json, member } from "@virt/objects";
import { type Assessment, assessed } from "./assessed.ts";
import { keysBeyondLimit } from "./cost-limit.ts";
import { isBudgetedPod, isBudgetOfPods } from "./drained-pods.ts";

/** The maximum number of comparisons per assessment. See docs/decisions/0063-impact.md for measurements. */
const mostComparisons = 1_000_000;
/** This many values of an expression count as one comparison, because comparing a value is cheap. */
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
  const beyond = keysBeyondLimit(costs, mostComparisons);
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
