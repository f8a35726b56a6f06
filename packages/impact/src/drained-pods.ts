// Predicts the effect of a drain on ordinary pods: which ones block it, and which ones are not re-created.

import type { Impact } from "@virt/api";
import type { BudgetFact, ClusterShape, PodFact } from "@virt/cluster";
import { matchesSelector } from "@virt/objects";
import { type Assessment, assessed } from "./assessed.ts";
import { inNameOrder } from "./capacity.ts";
import { drainedNodes } from "./drained-vms.ts";
import type { AssessedPool } from "./pool-rollouts.ts";

type PodOutcome =
  | { readonly outcome: "block"; readonly reason: "TwoBudgets" | "PodDisruptionBudget" }
  | { readonly outcome: "delete"; readonly reason: "" };

/** A pod that blocks a drain or is not re-created after it. */
export type DrainedPod = PodOutcome & { readonly node: string; readonly pod: PodFact };

export type DrainedPodsInput = {
  readonly shape: ClusterShape;
  readonly pods: Assessment<ReadonlyMap<string, readonly PodFact[]>>;
  readonly budgets: Assessment<readonly BudgetFact[]>;
};

/** Returns the affected pods, sorted by node in rollout order, then by namespace and name. */
export function assessPods(
  pools: readonly AssessedPool[],
  { shape, pods, budgets }: DrainedPodsInput,
): Assessment<readonly DrainedPod[]> {
  if (!pods.isAssessed) return pods;
  if (!budgets.isAssessed) return budgets;
  if (shape.isSingleReplica) return assessed([]); // no pods are evicted on single-node clusters
  const covering = budgetsByNamespace(budgets.value);
  const found = pools.flatMap(drainedNodes).flatMap((node) =>
    (pods.value.get(node) ?? []).toSorted(inNameOrder).flatMap((pod): readonly DrainedPod[] => {
      const outcome = outcomeOfPod(pod, covering);
      return outcome === undefined ? [] : [{ ...outcome, node, pod }];
    }),
  );
  return assessed(found);
}

/** Groups budgets by namespace. Omits those that are too large (see `largePodGaps`) and those of VMs. */
export function budgetsByNamespace(budgets: readonly BudgetFact[]): ReadonlyMap<string, readonly BudgetFact[]> {
  const evaluated = budgets.filter((budget) => isBudgetOfPods(budget) && !budget.isTooLarge);
  return Map.groupBy(evaluated, ({ namespace }) => namespace);
}

/** Returns the effect on a pod, or undefined if the pod stays or is re-created on another node. */
function outcomeOfPod(pod: PodFact, budgets: ReturnType<typeof budgetsByNamespace>): PodOutcome | undefined {
  if (!isBudgetedPod(pod)) return undefined;
  const covering = coveringBudgets(pod, budgets);
  if (covering.length >= 2) return { outcome: "block", reason: "TwoBudgets" };
  if (covering.some(({ disruptionsAllowed }) => disruptionsAllowed <= 0))
    return { outcome: "block", reason: "PodDisruptionBudget" };
  return pod.controllerKind === undefined ? { outcome: "delete", reason: "" } : undefined;
}

/** Reports whether the budget protects ordinary pods, unlike those that older KubeVirt releases create for each VM. */
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

/** Reports whether the pod belongs to a VM. The assessment of the VM then covers it. */
export function isPodOfVm({ labels }: PodFact): boolean {
  return launchers.includes(labels["kubevirt.io"] ?? "");
}

export function countPods(pods: readonly DrainedPod[]): Impact["pods"] & object {
  const blocking = pods.filter(({ outcome }) => outcome === "block").length;
  return { block: blocking, delete: pods.length - blocking };
}
