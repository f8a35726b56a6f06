// Predicts the effect of a drain on pods other than VMs: those that block it, and those that are not re-created.

import type { BudgetFact, PodFact } from "@virt/cluster";
import { matchesSelector } from "@virt/objects";

export type PodOutcome =
  | { readonly outcome: "block"; readonly reason: "TwoBudgets" | "PodDisruptionBudget" }
  | { readonly outcome: "delete"; readonly reason: "" };

/** Groups budgets by namespace. Omits those that are too large (see `largePodGaps`) and those of VMs. */
export function budgetsByNamespace(budgets: readonly BudgetFact[]): ReadonlyMap<string, readonly BudgetFact[]> {
  const evaluated = budgets.filter((budget) => isBudgetOfPods(budget) && !budget.isTooLarge);
  return Map.groupBy(evaluated, ({ namespace }) => namespace);
}

/** Returns undefined if the pod stays or is re-created on another node. */
export function outcomeOfPod(pod: PodFact, budgets: ReturnType<typeof budgetsByNamespace>): PodOutcome | undefined {
  if (!isBudgetedPod(pod)) return undefined;
  const covering = coveringBudgets(pod, budgets);
  if (covering.length >= 2) return { outcome: "block", reason: "TwoBudgets" };
  if (covering.some(({ disruptionsAllowed }) => disruptionsAllowed <= 0))
    return { outcome: "block", reason: "PodDisruptionBudget" };
  return pod.controllerKind === undefined ? { outcome: "delete", reason: "" } : undefined;
}

/** Reports whether the budget protects ordinary pods. Older KubeVirt releases create one per VM. */
export function isBudgetOfPods({ ownerKind }: BudgetFact): boolean {
  return ownerKind !== "VirtualMachineInstance";
}

export function coveringBudgets(
  { namespace, labels }: PodFact,
  budgets: ReturnType<typeof budgetsByNamespace>,
): readonly BudgetFact[] {
  return (budgets.get(namespace) ?? []).filter(({ selector }) => matchesSelector(selector, labels));
}

/** Reports whether a drain evicts the pod. It skips pods of DaemonSets and mirror pods. */
export function isDrainedPod({ isMirror, controllerKind }: PodFact): boolean {
  return !isMirror && controllerKind !== "DaemonSet";
}

export function isBudgetedPod(pod: PodFact): boolean {
  return isDrainedPod(pod) && !isPodOfVm(pod);
}

const launchers = ["virt-launcher", "hotplug-disk"];

/** Reports whether the pod belongs to a VM, whose outcome it shares. */
export function isPodOfVm({ labels }: PodFact): boolean {
  return launchers.includes(labels["kubevirt.io"] ?? "");
}
