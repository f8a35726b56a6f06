// What a drain does to ordinary pods: which of them block it, and which of them nobody makes again.

import type { Json, KubeObject } from "@virt/api";
import { asNumber, asText, at, exceedsBytes, matchesSelector, readTime } from "@virt/engine";
import { textsOf } from "./nodes.ts";
import { readController } from "./vms.ts";

/** What is kept of a pod: nothing but metadata is read. */
export type PodFact = {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly controllerKind: string | undefined;
  readonly isMirror: boolean;
  /** When its deletion was requested, in milliseconds by the API server's clock; undefined: it was not. */
  readonly deletedAt: number | undefined;
  /** Its labels are larger than is kept: no budget can be told to select it. */
  readonly isTooLarge?: true;
};

/** Labels of a pod; real ones take a few hundred bytes. */
const mostLabelBytes = 16_000;
/** The selector of a budget; real ones take a few dozen bytes. */
export const mostSelectorBytes = 8_000;

/** What is kept of a PodDisruptionBudget. */
export type BudgetFact = {
  readonly namespace: string;
  readonly name: string;
  readonly selector: Json | undefined;
  /** 0 also where no controller has counted yet. */
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly ownerKind: string | undefined;
  /** The selector is larger than is evaluated: the budget may protect any pod of its namespace. */
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

/** What may become of a pod of which a person should know, and why. */
export type PodOutcome =
  | { readonly outcome: "block"; readonly reason: "TwoBudgets" | "PodDisruptionBudget" }
  | { readonly outcome: "delete"; readonly reason: "" };

/** Budgets by namespace, without those that are too large: `largePodGaps` names them. A cluster has hundreds, and each pod asks. Older releases of KubeVirt make one per VM, which are the VMs' matter. */
export function budgetsByNamespace(budgets: readonly BudgetFact[]): ReadonlyMap<string, readonly BudgetFact[]> {
  const evaluated = budgets.filter((budget) => isBudgetOfPods(budget) && !budget.isTooLarge);
  return Map.groupBy(evaluated, ({ namespace }) => namespace);
}

/** Undefined: the pod is left where it is, or is made again elsewhere. */
export function outcomeOfPod(pod: PodFact, budgets: ReturnType<typeof budgetsByNamespace>): PodOutcome | undefined {
  if (!isBudgetedPod(pod)) return undefined;
  const covering = coveringBudgets(pod, budgets);
  if (covering.length >= 2) return { outcome: "block", reason: "TwoBudgets" };
  if (covering.some(({ disruptionsAllowed }) => disruptionsAllowed <= 0))
    return { outcome: "block", reason: "PodDisruptionBudget" };
  return pod.controllerKind === undefined ? { outcome: "delete", reason: "" } : undefined;
}

/** Reports whether the budget protects other pods than that of one VM. */
export function isBudgetOfPods({ ownerKind }: BudgetFact): boolean {
  return ownerKind !== "VirtualMachineInstance";
}

/** The budgets that select the pod. */
export function coveringBudgets(
  { namespace, labels }: PodFact,
  budgets: ReturnType<typeof budgetsByNamespace>,
): readonly BudgetFact[] {
  return (budgets.get(namespace) ?? []).filter(({ selector }) => matchesSelector(selector, labels));
}

/** Reports whether a drain evicts the pod: not those of DaemonSets and of the kubelet itself. */
export function isDrainedPod({ isMirror, controllerKind }: PodFact): boolean {
  return !isMirror && controllerKind !== "DaemonSet";
}

/** Reports whether a drain evicts the pod and its budgets decide when. */
export function isBudgetedPod(pod: PodFact): boolean {
  return isDrainedPod(pod) && !isPodOfVm(pod);
}

const launchers = ["virt-launcher", "hotplug-disk"];

/** Reports whether the pod belongs to a VM: its outcome is the VM's outcome. */
export function isPodOfVm({ labels }: PodFact): boolean {
  return launchers.includes(labels["kubevirt.io"] ?? "");
}
