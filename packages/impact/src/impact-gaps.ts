// Lists the inputs that an assessment lacks. Guards and users refer to them by name.

import type { Impact, ImpactGap } from "@virt/api";
import type { ImpactFacts } from "./assess-impact.ts";
import { type Assessment, assessedOr } from "./assessed.ts";
import type { DrainedPod } from "./drained-pods.ts";
import { type DrainedVm, drainedNodes, isOwnerUnread } from "./drained-vms.ts";
import { countIn, largePodGaps } from "./large-pod-gaps.ts";
import type { AssessedPool } from "./pool-rollouts.ts";
import { vmGap } from "./summary.ts";

export type AssessedParts = {
  readonly pools: readonly AssessedPool[];
  readonly drained: readonly DrainedVm[];
  readonly pods: Assessment<readonly DrainedPod[]>;
};

export function gapsOf(facts: ImpactFacts, { pools, drained, pods }: AssessedParts): readonly ImpactGap[] {
  const inputs: readonly (readonly [string, Assessment<unknown>])[] = [
    [vmGap, facts.vms],
    ["VM owners", facts.runStrategies],
    ["KubeVirt", facts.settings],
    ["pods", pods],
    ["disruption policies", facts.policies],
    ["infrastructure", facts.shape],
    ["KubeletConfigs", facts.kubeletConfigs],
  ];
  const missing = inputs.flatMap(([what, input]) =>
    input.isAssessed ? [] : [{ what, reason: input.reason, message: input.message }],
  );
  return [
    ...missing,
    ...ownerGaps(facts, drained),
    ...placementGaps(drained),
    ...(pods.isAssessed ? [...podGaps(facts, pools), ...drainedPodGaps(facts, pools)] : []),
  ];
}

function placementGaps(drained: readonly DrainedVm[]): readonly ImpactGap[] {
  const large = drained.flatMap(({ vm }) => (vm.placement.isTooLarge ? [vm] : []));
  const message = `${countIn(large, "VM")} with too many affinity terms, selectors or tolerations`;
  return large.length === 0 ? [] : [{ what: "VM placement", reason: "TooMany", message }];
}

function drainedPodGaps({ pods, budgets }: ImpactFacts, pools: readonly AssessedPool[]): readonly ImpactGap[] {
  if (!pods.isAssessed) return [];
  const drained = pools.flatMap(drainedNodes).flatMap((node) => pods.value.get(node) ?? []);
  return largePodGaps(drained, assessedOr(budgets, []), { pods: "pods", budgets: "pods" });
}

function ownerGaps({ runStrategies }: ImpactFacts, drained: readonly DrainedVm[]): readonly ImpactGap[] {
  if (!runStrategies.isAssessed) return [];
  const unread = drained.filter((each) => isOwnerUnread(each, runStrategies.value)).length;
  const message = `${unread} ${unread === 1 ? "owner has" : "owners have"} not been read yet`;
  return unread === 0 ? [] : [{ what: "VM owners", reason: "Listing", message }];
}

// Only the pods of drained nodes are listed.
function podGaps({ pods }: ImpactFacts, pools: readonly AssessedPool[]): readonly ImpactGap[] {
  if (!pods.isAssessed) return [];
  const unlisted = pools.flatMap(drainedNodes).filter((node) => !pods.value.has(node)).length;
  return unlisted === 0
    ? []
    : [{ what: "pods", reason: "TooMany", message: `pods of ${unlisted} nodes were not listed` }];
}

/** Reports whether an input is still being listed. The impact will then change soon. */
export function isStillListing({ notAssessed }: Pick<Impact, "notAssessed">): boolean {
  return notAssessed.some(({ reason }) => reason === "Listing");
}
