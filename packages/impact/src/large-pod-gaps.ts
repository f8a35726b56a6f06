// Reports pods and PodDisruptionBudgets that are too large to compare, and may therefore block a drain.

import type { ImpactGap } from "@virt/api";
import { type BudgetFact, type PodFact } from "@virt/cluster";
import { compareUtf8 } from "@virt/objects";
import { isBudgetedPod, isBudgetOfPods } from "./pods.ts";

export type LargePodGapNames = { readonly pods: string; readonly budgets: string };

/** Returns the gaps of these pods. Budgets count only if a drain evicts a pod of their namespace. */
export function largePodGaps(
  pods: readonly PodFact[],
  budgets: readonly BudgetFact[],
  names: LargePodGapNames,
): readonly ImpactGap[] {
  const evicted = Map.groupBy(pods.filter(isBudgetedPod), ({ namespace }) => namespace);
  const largePods = pods.filter(({ isTooLarge }) => isTooLarge);
  const largeBudgets = budgets.filter((each) => each.isTooLarge && isBudgetOfPods(each) && evicted.has(each.namespace));
  const namespaces = new Set(largeBudgets.map(({ namespace }) => namespace));
  const affected = [...namespaces].reduce((sum, namespace) => sum + (evicted.get(namespace)?.length ?? 0), 0);
  const which = countIn(largeBudgets, "PodDisruptionBudget");
  const effect = `${affected} ${affected === 1 ? "pod" : "pods"} may block a drain`;
  return [
    ...(largePods.length === 0 ? [] : [tooMany(names.pods, `${countIn(largePods, "pod")} with too many labels`)]),
    ...(largeBudgets.length === 0 ? [] : [tooMany(names.budgets, `${which} with too large a selector: ${effect}`)]),
  ];
}

function tooMany(what: string, message: string): ImpactGap {
  return { what, reason: "TooMany", message };
}

/** Counts the objects and names the namespace with the most of them. */
export function countIn(objects: readonly { readonly namespace: string }[], noun: string): string {
  const namespaces = [...Map.groupBy(objects, ({ namespace }) => namespace)].toSorted(
    ([left, ofLeft], [right, ofRight]) => ofRight.length - ofLeft.length || compareUtf8(left, right),
  );
  const others = namespaces.length - 1;
  const more = others === 0 ? "" : ` and ${others} other ${others === 1 ? "namespace" : "namespaces"}`;
  return `${objects.length} ${noun}${objects.length === 1 ? "" : "s"} in namespace ${namespaces[0]?.[0] ?? ""}${more}`;
}
