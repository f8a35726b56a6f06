// ReviewRequired: waits until the plan is approved, or its inputs or targets change.

import type { Item, Status } from "@virt/api";
import { equalJson } from "@virt/objects";
import { isLockBypassed, isPlanStale, isUpgraded, mayExecute, reviewOf } from "../approval.ts";
import { revertedTargets } from "../autopilot-targets.ts";
import { isTampered, type ShownDifference, shownDifference } from "../check-plan.ts";
import { inputConditions } from "../conditions/status-conditions.ts";
import { enterDrafting, enterPhase } from "../enter-phase.ts";
import { findExecutionObstacle } from "../execution-obstacle.ts";
import { areInputsBack, movedSinceDrafted } from "../inputs.ts";
import type { Decision, Observed } from "../observed.ts";
import { reviewText } from "../review-text.ts";
import { refusePlan, refuseStalePlan } from "./refuse-plan.ts";
import { type DraftedPlan, handleDraftedPlan, holdExecution, startExecution, toReviewStatus } from "./review-status.ts";

export function awaitApproval(observed: Observed): Decision {
  const { stored } = observed;
  const planHash = stored.planHash ?? "";
  const [moved] = movedSinceDrafted(observed.inputs);
  if (moved !== undefined) return redraftForInputs(observed, moved.moved);
  const isStale = isPlanStale(observed);
  if (mayExecute(observed, planHash)) {
    if (isTampered(observed.planCheck)) return refusePlan(observed, observed.planCheck);
    if (isStale && !isLockBypassed(observed.spec)) return refuseStalePlan(observed);
    return startApproved(observed);
  }
  if (observed.draft === undefined || (observed.draft.kind === "drafted" && isOnDisplay(observed, observed.draft)))
    return keepReview(observed, planHash);
  return observed.draft.kind === "drafted" ? handleDraftedPlan(observed, observed.draft) : toReviewStatus(observed);
}

/** Redrafts and compares a plan from an earlier process before it starts. */
function startApproved(observed: Observed): Decision {
  const { planCheck, draft, stored, statusOrigin } = observed;
  if (planCheck.kind === "differs") return refusePlan(observed, planCheck);
  if (statusOrigin === "own") return startUnlessHeld(observed);
  if (draft?.kind !== "drafted") return toReviewStatus(observed);
  const fresh = observed.items.flatMap(({ item, isStale }) => (isStale ? [] : [item.name]));
  const isFresh = ({ name }: Item) => fresh.includes(name);
  const difference =
    shownDifference((stored.items ?? []).filter(isFresh), draft.items.filter(isFresh)) ??
    disruptionDifference(stored, draft);
  if (difference === undefined) return startUnlessHeld(observed);
  const reason = isUpgraded(observed) ? "OperatorUpgraded" : difference.reason;
  return refusePlan(observed, { ...difference, kind: "differs", reason });
}

function startUnlessHeld(observed: Observed): Decision {
  const { planHash = "", items = [] } = observed.stored;
  const reverted = revertedTargets(observed.items);
  const obstacle = findExecutionObstacle(observed, { items, reverted, impact: observed.impactNow });
  return obstacle === undefined
    ? startExecution(observed, { set: {} })
    : holdExecution(observed, planHash, { set: {}, obstacle });
}

/** Pools and policies can change without tampering, and earlier releases did not store the disruption. */
function disruptionDifference({ disruption }: Status, draft: DraftedPlan): ShownDifference | undefined {
  if (equalJson(disruption ?? [], draft.disruption)) return undefined;
  const reason = disruption === undefined ? "OperatorUpgraded" : "PlanStale";
  return { reason, text: "the disruption of its pools changed" };
}

function isOnDisplay(observed: Observed, draft: DraftedPlan): boolean {
  const { stored } = observed;
  if (isPlanStale(observed)) return false;
  const isSame = draft.planHash === stored.planHash && shownDifference(stored.items ?? [], draft.items) === undefined;
  return isSame && draft.items.some(({ changes }) => changes);
}

/**
 * Redrafts the plan. If the inputs are back at their applied values, no change is reported, but the new plan still
 * needs a review.
 */
function redraftForInputs(observed: Observed, text: string): Decision {
  const message = `Regenerating plan due to input dependency change: ${text}`;
  if (!areInputsBack(observed.inputs))
    return enterDrafting(observed, { message, side: [inputConditions.changed(text)] });
  const { review = reviewOf(observed, observed.stored.planHash ?? "") } = observed.stored;
  const set = { review: { ...review, forced: true, reason: "NotRequested" } } as const;
  return enterDrafting(observed, { message, side: [inputConditions.resolved], set });
}

function keepReview(observed: Observed, planHash: string): Decision {
  const { stored, spec, generation } = observed;
  const isShown = stored.review?.planHash === planHash && stored.review.generation === generation;
  const isReleased = stored.review?.reason === "PolicyNotInForce" && observed.operator.withheld === undefined;
  const isKept = isShown && !isReleased && (spec.action !== "Apply" || stored.review.forced);
  const review = isKept ? stored.review : reviewOf(observed, planHash);
  const message = reviewText(observed, review);
  return enterPhase(observed, "ReviewRequired", { message, set: { review }, requeue: { when: "on-change" } });
}
