// Predicts the effect of a drain on ordinary pods: which block it, and which are not re-created.

import type { Json, KubeObject } from "@virt/api";
import { asNumber, asText, at, exceedsBytes, matchesSelector, readTime } from "@virt/objects";
import { textsOf } from "./nodes.ts";
import { readController } from "./vms.ts";

export type PodFact = {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly controllerKind: string | undefined;
  readonly isMirror: boolean;
  /** When its deletion was requested, in milliseconds by the API server's clock. Undefined if it was not. */
  readonly deletedAt: number | undefined;
  /** Set if its labels are too large to keep, so that no budget is known to select it. */
  readonly isTooLarge?: true;
};

/** Limit for the labels of a pod. Real ones take a few hundred bytes. */
const mostLabelBytes = 16_000;
/** Limit for the selector of a budget. Real ones take a few dozen bytes. */
export const mostSelectorBytes = 8_000;

export type BudgetFact = {
  readonly namespace: string;
  readonly name: string;
  readonly selector: Json | undefined;
  /** Also 0 if the controller has not counted yet. */
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly ownerKind: string | undefined;
  /** Set if the selector is too large to evaluate. The budget may protect any pod of its namespace. */
  readonly isTooLarge?: true;
};

/** Reads the metadata of a Pod of any shape. */
export function readPodFact(pod: KubeObject): PodFact {
  const labels = at(pod, "metadata", "labels");
  const isTooLarge = exceedsBytes(labels, mostLabelBytes);
  return {
    namespace: asText(at(pod, "metadata", "namespace")) ?? "",
    name: asText(at(pod, "metadata", "name")) ?? "",
    labels: isTooLarge ? {} : textsOf(labels, () => true),
    controllerKind: readController(pod)?.kind,
    isMirror: at(pod, "metadata", "annotations", "kubernetes.io/config.mirror") !== undefined,
    deletedAt: deletionOf(pod),
    ...(isTooLarge && { isTooLarge }),
  };
}

// The deletion timestamp is the end of the grace period.
function deletionOf(pod: KubeObject): number | undefined {
  const text = asText(at(pod, "metadata", "deletionTimestamp"));
  if (text === undefined) return undefined;
  const graceSeconds = asNumber(at(pod, "metadata", "deletionGracePeriodSeconds")) ?? 0;
  return (readTime(text) ?? 0) - graceSeconds * 1000;
}

/** Reads a PodDisruptionBudget of any shape. */
export function readBudgetFact(budget: KubeObject): BudgetFact {
  const count = (field: string) => asNumber(at(budget, "status", field)) ?? 0;
  const selector = at(budget, "spec", "selector");
  const isTooLarge = exceedsBytes(selector, mostSelectorBytes);
  return {
    namespace: asText(at(budget, "metadata", "namespace")) ?? "",
    name: asText(at(budget, "metadata", "name")) ?? "",
    selector: isTooLarge ? undefined : selector,
    disruptionsAllowed: count("disruptionsAllowed"),
    currentHealthy: count("currentHealthy"),
    desiredHealthy: count("desiredHealthy"),
    ownerKind: readController(budget)?.kind,
    ...(isTooLarge && { isTooLarge }),
  };
}

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
