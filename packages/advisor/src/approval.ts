// Decides whether a plan may run. If not, determines why it needs a review.

import type { Review, ReviewReason, Spec, VirtPlatformConfig } from "@virt/api";
import { fieldPath, type Owner, ownersOf, readOwners } from "@virt/objects";
import { conditionIs } from "./conditions/status-conditions.ts";
import type { ExecutionObstacle } from "./execution-obstacle.ts";
import type { Observed } from "./observed.ts";
import { isPlanNamed } from "./plan-names.ts";

type ApprovalRequest = Pick<Observed, "spec" | "generation" | "stored" | "operator">;

/** Reports whether the user approved this plan. If its review is forced, the plan must have been shown before the approval. */
export function mayExecute(request: ApprovalRequest, planHash: string): boolean {
  const { spec, generation, stored } = request;
  if (spec.action !== "Apply" || !isPinned(request, planHash)) return false;
  if (generation <= (stored.executedGeneration ?? 0)) return false;
  if (!isForced(request)) return true;
  return stored.review !== undefined && generation > stored.review.generation && stored.review.planHash === planHash;
}

/** Reports whether the approval names this plan, or does not have to name one. */
export function isPinned({ spec, operator, stored }: ApprovalRequest, planHash: string): boolean {
  if (operator.withheld !== undefined) return false;
  if (spec.approvedPlan === undefined) return !operator.mustPin;
  // A hash prefix that also matches the previous plan is ambiguous, because the approver saw only one of the two.
  return isPlanNamed(spec.approvedPlan, planHash, [stored.planHash, stored.review?.planHash]);
}

/** Reports whether the plan must be reviewed before it runs, because of a change that the user did not request. */
export function isForced(request: ApprovalRequest): boolean {
  const { stored } = request;
  const isMarked = conditionIs(stored, "InputDependencyDrift", "True") || conditionIs(stored, "PlanStale", "True");
  return isMarked || stored.review?.forced === true || isUpgraded(request);
}

export function isUpgraded({ stored, operator }: ApprovalRequest): boolean {
  return (
    stored.operatorVersion !== undefined && stored.operatorVersion !== "" && stored.operatorVersion !== operator.version
  );
}

/** Reports whether a target, or the disruption of a pool, has changed since the review. */
export function isPlanStale({ items, isDisruptionStale }: Pick<Observed, "items" | "isDisruptionStale">): boolean {
  return isDisruptionStale || items.some(({ isStale }) => isStale);
}

/** Reports whether the plan may overwrite targets that changed since the review. Never true if the approval names a plan hash. */
export function isLockBypassed({ bypassOptimisticLock, approvedPlan }: Spec): boolean {
  return bypassOptimisticLock && approvedPlan === undefined;
}

/** Returns the review that the plan needs. It is forced if the action is Apply but the plan may not run. */
export function reviewOf(request: ApprovalRequest, planHash: string): Review {
  const forced = request.spec.action === "Apply" || isForced(request);
  const reason = reasonOf(request, planHash);
  const message = keptMessage(request, reason, planHash);
  return { planHash, generation: request.generation, forced, reason, ...(message !== undefined && { message }) };
}

/** Returns the review for an approved plan on hold. The approval stays valid until the plan may start. */
export function heldReview(
  { stored, generation }: ApprovalRequest,
  planHash: string,
  { reason, text }: ExecutionObstacle,
): Review {
  const shown = stored.review?.planHash === planHash ? stored.review : { planHash, generation, forced: false };
  return { ...shown, reason, message: text };
}

/** Reports whether an approved plan with this review is on hold, and starts as soon as its obstacle is gone. */
export function isHeldFor(reason: ReviewReason | undefined): boolean {
  return reason === "Guarded" || reason === "ManagedByAutopilot";
}

/** Keeps a message about tampering for later plans, too. Keeps other messages only for the same plan. */
function keptMessage({ stored }: ApprovalRequest, reason: ReviewReason, planHash: string): string | undefined {
  const isKept = stored.review?.reason === reason && (reason === "PlanTampered" || stored.review.planHash === planHash);
  return isKept ? stored.review?.message : undefined;
}

function reasonOf(request: ApprovalRequest, planHash: string): ReviewReason {
  const { spec, stored, operator } = request;
  if (stored.review?.reason === "PlanTampered") return "PlanTampered";
  if (operator.withheld !== undefined && spec.action === "Apply") return "PolicyNotInForce";
  if (conditionIs(stored, "InputDependencyDrift", "True")) return "InputChanged";
  if (conditionIs(stored, "PlanStale", "True")) return "PlanStale";
  if (isUpgraded(request)) return "OperatorUpgraded";
  if (spec.action === "Apply") return isPinned(request, planHash) ? "NotRequested" : "ApprovalRequired";
  if (stored.review?.forced !== true) return "Requested";
  return isHeldFor(stored.review.reason) ? "NotRequested" : stored.review.reason;
}

/** Returns the field manager of the last spec edit. For edits in the same second, prefers the one that changed the approval. */
export function approverOf(config: VirtPlatformConfig): string | undefined {
  const editors = ownersOf(readOwners(config), fieldPath("spec"));
  const approvers = ["action", "approvedPlan"].flatMap((field) => ownersOf(editors, fieldPath("spec", field)));
  const lastTime = editors.reduce((latest, { time = "" }) => (time > latest ? time : latest), "");
  const isLast = ({ time = "" }: Owner) => time === lastTime;
  return (approvers.find(isLast) ?? editors.find(isLast))?.manager;
}
