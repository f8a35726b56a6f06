// Decides whether a plan may run, or why it waits for a review.

import type { Review, ReviewReason, Spec, VirtPlatformConfig } from "@virt/api";
import { fieldPath, type Owner, ownersOf, readOwners } from "@virt/objects";
import { conditionIs } from "./conditions/status-conditions.ts";
import type { Observed } from "./observed.ts";
import { isPlanNamed } from "./plan-names.ts";

type ApprovalRequest = Pick<Observed, "spec" | "generation" | "stored" | "operator">;

/** Reports whether the user approved this plan. A forced plan must have been under review before the approval. */
export function mayExecute(request: ApprovalRequest, planHash: string): boolean {
  const { spec, generation, stored } = request;
  if (spec.action !== "Apply" || !isPinned(request, planHash)) return false;
  if (generation <= (stored.executedGeneration ?? 0)) return false;
  if (!isForced(request)) return true;
  return stored.review !== undefined && generation > stored.review.generation && stored.review.planHash === planHash;
}

/** Reports whether the approval is valid: it names this plan, or does not have to name one. */
export function isPinned({ spec, operator, stored }: ApprovalRequest, planHash: string): boolean {
  if (operator.withheld !== undefined) return false;
  if (spec.approvedPlan === undefined) return !operator.mustPin;
  // Digits that also match the previous plan identify neither, because the approver saw only one of them.
  return isPlanNamed(spec.approvedPlan, planHash, [stored.planHash, stored.review?.planHash]);
}

/** Reports whether the plan must be under review before it runs, because something changed without a request. */
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

/** Reports whether a target or the disruption of a pool changed since the review. */
export function isPlanStale({ items, isDisruptionStale }: Pick<Observed, "items" | "isDisruptionStale">): boolean {
  return isDisruptionStale || items.some(({ isStale }) => isStale);
}

/** Reports whether the plan may overwrite targets in any state. Never true if the approval names the plan. */
export function isLockBypassed({ bypassOptimisticLock, approvedPlan }: Spec): boolean {
  return bypassOptimisticLock && approvedPlan === undefined;
}

/** Returns the review of the plan. It is forced if an Apply is withheld. */
export function reviewOf(request: ApprovalRequest, planHash: string): Review {
  const forced = request.spec.action === "Apply" || isForced(request);
  const reason = reasonOf(request, planHash);
  const message = keptMessage(request, reason, planHash);
  return { planHash, generation: request.generation, forced, reason, ...(message !== undefined && { message }) };
}

/** Returns the review of an approved plan that a guard blocks. The approval stays valid after the block ends. */
export function guardedReview({ stored, generation }: ApprovalRequest, planHash: string, message: string): Review {
  const shown = stored.review?.planHash === planHash ? stored.review : { planHash, generation, forced: false };
  return { ...shown, reason: "Guarded", message };
}

/** Keeps a message about tampering for any later plan, and other messages for the same plan only. */
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
  return stored.review.reason === "Guarded" ? "NotRequested" : stored.review.reason;
}

/** Returns the field manager of the last spec edit. Within a second, an edit of the approval fields wins. */
export function approverOf(config: VirtPlatformConfig): string | undefined {
  const editors = ownersOf(readOwners(config), fieldPath("spec"));
  const approvers = ["action", "approvedPlan"].flatMap((field) => ownersOf(editors, fieldPath("spec", field)));
  const lastTime = editors.reduce((latest, { time = "" }) => (time > latest ? time : latest), "");
  const isLast = ({ time = "" }: Owner) => time === lastTime;
  return (approvers.find(isLast) ?? editors.find(isLast))?.manager;
}
