// Limits the comparisons in an assessment, because it blocks the process and any user can create the objects that it
// compares.

import { compareUtf8 } from "@virt/objects";

/** The comparisons that an item needs. Items with the same key are evaluated together. */
export type ItemCost = { readonly namespace: string; readonly key: string; readonly cost: number };

/**
 * Returns the keys of items beyond the limit. The cheapest namespaces and items are admitted first, so that expensive
 * ones cannot displace them.
 */
export function keysBeyondLimit(costs: readonly ItemCost[], most: number): ReadonlySet<string> {
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
