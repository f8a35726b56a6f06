import { type BudgetFact, type ClusterShape, type PodFact } from "@virt/cluster";
import { type Assessment, assessed } from "./assessed.ts";
import { inNameOrder } from "./capacity.ts";
import { drainedNodes } from "./drained-vms.ts";
import { budgetsByNamespace, outcomeOfPod, type PodOutcome } from "./pods.ts";
import type { AssessedPool } from "./pool-rollouts.ts";

/** A pod that blocks a drain or is not re-created after it. */
export type DrainedPod = PodOutcome & { readonly node: string; readonly pod: PodFact };

export type DrainedPodsInput = {
  readonly shape: ClusterShape;
  readonly pods: Assessment<ReadonlyMap<string, readonly PodFact[]>>;
  readonly budgets: Assessment<readonly BudgetFact[]>;
};

/** Returns the pods by node in rollout order, then by namespace and name. Requires the pods and their budgets. */
export function assessPods(
  pools: readonly AssessedPool[],
  { shape, pods, budgets }: DrainedPodsInput,
): Assessment<readonly DrainedPod[]> {
  if (!pods.isAssessed) return pods;
  if (!budgets.isAssessed) return budgets;
  if (shape.isSingleReplica) return assessed([]); // a single-node cluster evicts nothing
  const covering = budgetsByNamespace(budgets.value);
  const found = pools.flatMap(drainedNodes).flatMap((node) =>
    (pods.value.get(node) ?? []).toSorted(inNameOrder).flatMap((pod): readonly DrainedPod[] => {
      const outcome = outcomeOfPod(pod, covering);
      return outcome === undefined ? [] : [{ ...outcome, node, pod }];
    }),
  );
  return assessed(found);
}
