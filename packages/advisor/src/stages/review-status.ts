// Drafting: presents a new plan for review, starts it if it is already approved, or completes it if it changes nothing.

import type { Item, Review, Status } from "@virt/api";
import { heldReview, isPinned, mayExecute, reviewOf } from "../approval.ts";
import { phaseMessages } from "../conditions/phase.ts";
import {
  type ConditionInput,
  conditionIs,
  inputConditions,
  stalenessConditions,
  upgradeConditions,
} from "../conditions/status-conditions.ts";
import { enterPhase, enterPrerequisiteFailed, requeueForAutopilot, type StatusChange } from "../enter-phase.ts";
import { type ExecutionObstacle, findExecutionObstacle } from "../execution-obstacle.ts";
import { hashOrigin } from "../hashes.ts";
import { recordAppliedInputs } from "../inputs.ts";
import { completeItem, isSkipped, itemMessages } from "../items.ts";
import type { Decision, Draft, Observed, ObservedItem } from "../observed.ts";
import { shortHash } from "../plan-names.ts";
import { startNextItem } from "../progress.ts";
import { impactToShow } from "../publish-status.ts";
import { reviewText } from "../review-text.ts";
import { areRolloutsDone } from "../rollout/rollouts.ts";

export type DraftedPlan = Extract<Draft, { kind: "drafted" }>;

export function toReviewStatus(observed: Observed): Decision {
  const { draft, blocked } = observed;
  if (blocked !== undefined) return enterPrerequisiteFailed(observed, blocked.message);
  if (draft === undefined) throw new Error("cannot present a plan that was not drafted");
  switch (draft.kind) {
    case "blocked":
      return enterPrerequisiteFailed(observed, draft.message);
    case "rejected":
      return enterPhase(observed, "Failed", {
        message: `Failed to generate plan items: ${draft.message}`,
        requeue: { when: "on-change" },
      });
    case "unavailable":
      return { status: observed.stored, requeue: retryDraft(draft) };
    case "drafted":
      return handleDraftedPlan(observed, draft);
  }
}

function retryDraft({ message, retryInMs }: Extract<Draft, { kind: "unavailable" }>) {
  return { when: "retry", message, ...(retryInMs !== undefined && { retryInMs }) } as const;
}

/** Decides on a newly drafted plan. Also handles plans that are refreshed during a review. */
export function handleDraftedPlan(observed: Observed, draft: DraftedPlan): Decision {
  const isWaiting = !areRolloutsDone(observed) || Object.values(draft.rollouts).some(({ state }) => state !== "done");
  const isChanging = draft.items.some(({ changes }) => changes);
  if (!isChanging && !isWaiting) return completeUnchanged(observed, draft);
  if (!isChanging && isApplyApproved(observed, draft))
    return startExecution(observed, { set: statusFieldsOf(observed, draft), draft });
  if (!isChanging || !mayExecute(observed, draft.planHash)) return enterReviewRequired(observed, draft);
  const set = statusFieldsOf(observed, draft);
  // A new draft has not been assessed yet.
  const obstacle = findExecutionObstacle(observed, { ...draft, impact: undefined });
  if (obstacle === undefined) return startExecution(observed, { set, draft });
  return holdExecution(observed, draft.planHash, { set, obstacle });
}

/** Reports whether an Apply is approved. If so, the config governs its targets, even if its plan has no changes. */
function isApplyApproved(observed: Observed, { planHash }: DraftedPlan): boolean {
  return observed.spec.action === "Apply" && observed.operator.withheld === undefined && isPinned(observed, planHash);
}

function enterReviewRequired(observed: Observed, draft: DraftedPlan): Decision {
  const review = rehashedReview(observed, draft) ?? reviewOf(observed, draft.planHash);
  const message = reviewText(observed, review);
  const set = { ...statusFieldsOf(observed, draft), review };
  return enterPhase(observed, "ReviewRequired", { message, set, requeue: { when: "on-change" } });
}

type ExecutionHold = {
  readonly set: StatusChange;
  readonly obstacle: ExecutionObstacle;
};

export function holdExecution(observed: Observed, planHash: string, hold: ExecutionHold): Decision {
  const { impact, obstacle } = shownObstacle(observed, planHash, hold);
  const review = heldReview(observed, planHash, obstacle);
  return enterPhase(observed, "ReviewRequired", {
    message: reviewText(observed, review),
    set: { ...hold.set, impact, review },
    tool: { held: obstacle },
    requeue: requeueForAutopilot(observed),
  });
}

/** Returns the obstacle. A guard uses the impact in the status, so that the two always agree. */
function shownObstacle(observed: Observed, planHash: string, { set, obstacle }: ExecutionHold) {
  const { stored, impactNow } = observed;
  const status = { ...stored, ...set, planHash, phase: "ReviewRequired" } as Status;
  if (obstacle.reason !== "Guarded") return { impact: status.impact, obstacle };
  const { impact } = impactToShow(status, observed, impactNow);
  const shown = impact && findExecutionObstacle(observed, { items: status.items ?? [], reverted: [], impact });
  if (shown !== undefined) return { impact, obstacle: shown };
  const isAssessed = stored.phase === "ReviewRequired" && stored.planHash === planHash;
  return { impact: (isAssessed ? impactNow : undefined) ?? impact, obstacle };
}

/**
 * Returns the review for a plan from an earlier release. It needs a new approval even if its items are the same,
 * because the hash now covers more.
 */
function rehashedReview(observed: Observed, draft: DraftedPlan): Review | undefined {
  const { stored, spec, operator } = observed;
  const origin = hashOrigin(stored.planHash, spec, draft.items, draft.disruption);
  const review = reviewOf(observed, draft.planHash);
  if (origin.kind !== "earlier" || spec.action !== "Apply" || review.reason === "PlanTampered") return undefined;
  const message = `the plan hash of operator version ${operator.version} also covers ${origin.additions.join(" and ")}; the items are the same as in plan ${shortHash(stored.planHash)}`;
  return { ...review, reason: "OperatorUpgraded", message };
}

export function completeUnchanged(observed: Observed, draft: DraftedPlan): Decision {
  const items = draft.items.map((item) => completeItem(item, doneMessage(item, draft), observed.now));
  const inputs = recordAppliedInputs(draft.inputs, observed.inputs);
  const executed = isApplyApproved(observed, draft) ? { executedGeneration: observed.generation } : {};
  const set: StatusChange = { ...statusFieldsOf(observed, draft), ...executed, items, inputs };
  return enterPhase(observed, "Completed", {
    message: phaseMessages.alreadyThere,
    set,
    side: settledConditions(observed),
    requeue: { when: "on-change" },
  });
}

/** Returns the side conditions without those that a plan without changes resolves. */
function settledConditions({ stored, operator }: Observed): readonly ConditionInput[] {
  const isMarked = (type: string) => conditionIs(stored, type, "True");
  const isOurs = operator.version !== "";
  return [
    ...(isMarked("InputDependencyDrift") ? [inputConditions.resolved] : []),
    ...(isMarked("PlanStale") ? [stalenessConditions.resolved] : []),
    ...(isMarked("UpgradeAvailable") && isOurs ? [upgradeConditions.applied] : []),
  ];
}

function doneMessage(item: Item, { rollouts }: DraftedPlan): string {
  if (isSkipped(item)) return item.message;
  return rollouts[item.name]?.message ?? itemMessages.unchanged;
}

function isRefreshed({ phase, planHash: hash, review }: Status, draft: DraftedPlan): boolean {
  return hash === draft.planHash && (phase === "ReviewRequired" || review?.planHash === hash);
}

function statusFieldsOf(
  { spec, operator, stored }: Observed,
  draft: DraftedPlan,
): StatusChange & Pick<Status, "items"> {
  return {
    items: draft.items,
    planHash: draft.planHash,
    sourceSnapshotHash: draft.snapshotHash,
    impactSeverity: draft.impact,
    disruption: draft.disruption.length > 0 ? draft.disruption : undefined,
    impact: isRefreshed(stored, draft) ? stored.impact : undefined,
    specHash: draft.specHash,
    operatorVersion: operator.version,
    appliedOptions: spec.options,
    inputs: draft.inputs,
  };
}

export type ExecutionStart = {
  readonly set: StatusChange;
  /** Present if this reconcile drafted the plan. */
  readonly draft?: Extract<Draft, { kind: "drafted" }>;
};

export function startExecution(observed: Observed, { set, draft }: ExecutionStart): Decision {
  const items = draft?.items ?? observed.stored.items ?? [];
  const views = draft === undefined ? observed.items : observedItemsOf(draft);
  const marks = [
    ...(conditionIs(observed.stored, "InputDependencyDrift", "True") ? [inputConditions.acknowledged] : []),
    ...(conditionIs(observed.stored, "PlanStale", "True") ? [stalenessConditions.acknowledged] : []),
  ];
  return enterPhase(observed, "InProgress", {
    set: {
      ...set,
      items: startNextItem(items, views, observed.now).items,
      executedGeneration: observed.generation,
    },
    side: marks,
    requeue: { when: "at-once" },
  });
}

function observedItemsOf(draft: Extract<Draft, { kind: "drafted" }>): readonly ObservedItem[] {
  return draft.items.map((item) => {
    const rollout = draft.rollouts[item.name];
    const current = item.reviewed ?? { uid: "", resourceVersion: "", hash: "" };
    const pools = draft.pools[item.name] ?? [];
    return {
      item,
      isStale: false,
      isInPlace: !item.changes,
      pools,
      current,
      inSyncMessage: item.message,
      ...(rollout && { rollout }),
    };
  });
}
