// The pods on the nodes that a plan drains, as far as a person should know of them.

import { type Assessment, assessed } from "./assessed.ts";
import { inNameOrder } from "./capacity.ts";
import { drainedNodes } from "./drained-vms.ts";
import { type BudgetFact, budgetsByNamespace, outcomeOfPod, type PodFact, type PodOutcome } from "./pods.ts";
import type { AssessedPool } from "./pool-rollouts.ts";
import type { ClusterShape } from "./virt-settings.ts";

/** A pod that blocks a drain, or that nobody makes again. */
export type DrainedPod = PodOutcome & { readonly node: string; readonly pod: PodFact };

/** What decides about pods. */
export type DrainedPodsInput = {
  readonly shape: ClusterShape;
  readonly pods: Assessment<ReadonlyMap<string, readonly PodFact[]>>;
  readonly budgets: Assessment<readonly BudgetFact[]>;
};

/** By node in rollout order, then by namespace and name. Not assessed without the pods or their budgets. */
export function assessPods(
  pools: readonly AssessedPool[],
  { shape, pods, budgets }: DrainedPodsInput,
): Assessment<readonly DrainedPod[]> {
  if (!pods.isAssessed) return pods;
  if (!budgets.isAssessed) return budgets;
  if (shape.isSingleReplica) return assessed([]); // nothing is evicted there
  const covering = budgetsByNamespace(budgets.value);
  const found = pools.flatMap(drainedNodes).flatMap((node) =>
    (pods.value.get(node) ?? []).toSorted(inNameOrder).flatMap((pod): readonly DrainedPod[] => {
      const outcome = outcomeOfPod(pod, covering);
      return outcome === undefined ? [] : [{ ...outcome, node, pod }];
    }),
  );
  return assessed(found);
}
