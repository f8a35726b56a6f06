// Whether a plan may run, who approved it, and why a plan on display waits.

import type { Review, ReviewReason, Spec, VirtPlatformConfig } from "@virt/api";
import { fieldPath, type Owner, ownersOf, readOwners } from "@virt/engine";
import { conditionIs } from "./conditions/status-conditions.ts";
import type { Observed } from "./observed.ts";
import { isPlanNamed } from "./plan-names.ts";

/** What approval depends on. */
type ApprovalRequest = Pick<Observed, "spec" | "generation" | "stored" | "operator">;

/** The plan with this hash may be executed: a person asked for it, after having seen it where that is due. */
export function mayExecute(request: ApprovalRequest, planHash: string): boolean {
  const { spec, generation, stored } = request;
  if (spec.action !== "Apply" || !isPinned(request, planHash)) return false;
  if (generation <= (stored.executedGeneration ?? 0)) return false;
  if (!isForced(request)) return true;
  return stored.review !== undefined && generation > stored.review.generation && stored.review.planHash === planHash;
}

/** The approval counts here, and names this plan or needs to name none. */
export function isPinned({ spec, operator, stored }: ApprovalRequest, planHash: string): boolean {
  if (operator.withheld !== undefined) return false;
  if (spec.approvedPlan === undefined) return !operator.mustPin;
  // First digits that also name the plan before this one name neither: the approver has seen one of them at most.
  return isPlanNamed(spec.approvedPlan, planHash, [stored.planHash, stored.review?.planHash]);
}

/** Something happened that nobody asked for: the plan must have been on display before it runs. */
export function isForced(request: ApprovalRequest): boolean {
  const { stored } = request;
  const isMarked = conditionIs(stored, "InputDependencyDrift", "True") || conditionIs(stored, "PlanStale", "True");
  return isMarked || stored.review?.forced === true || isUpgraded(request);
}

/** Another version of the operator drafted the stored plan. */
export function isUpgraded({ stored, operator }: ApprovalRequest): boolean {
  return (
    stored.operatorVersion !== undefined && stored.operatorVersion !== "" && stored.operatorVersion !== operator.version
  );
}

/** A target is not any more what was reviewed, or the plan would do something else to a pool. */
export function isPlanStale({ items, isDisruptionStale }: Pick<Observed, "items" | "isDisruptionStale">): boolean {
  return isDisruptionStale || items.some(({ isStale }) => isStale);
}

/** Targets are overwritten whatever they look like now, unless a certain plan was pinned. */
export function isLockBypassed({ bypassOptimisticLock, approvedPlan }: Spec): boolean {
  return bypassOptimisticLock && approvedPlan === undefined;
}

/** How the plan is put on display. An Apply that is withheld makes the review a forced one. */
export function reviewOf(request: ApprovalRequest, planHash: string): Review {
  const forced = request.spec.action === "Apply" || isForced(request);
  const reason = reasonOf(request, planHash);
  const message = keptMessage(request, reason, planHash);
  return { planHash, generation: request.generation, forced, reason, ...(message !== undefined && { message }) };
}

/**
 * How a plan is on display that is approved and held by a guard: what was approved stays so, and its review is as it was, so that
 * no second approval is asked for when the guard holds.
 */
export function guardedReview({ stored, generation }: ApprovalRequest, planHash: string, message: string): Review {
  const shown = stored.review?.planHash === planHash ? stored.review : { planHash, generation, forced: false };
  return { ...shown, reason: "Guarded", message };
}

/** Who tampered with a plan is told whatever plan follows; all else is about the plan that was on display. */
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

/**
 * The manager that edited the spec last; of several in one second the one that set `action` or `approvedPlan`. Undefined:
 * nobody is on record.
 */
export function approverOf(config: VirtPlatformConfig): string | undefined {
  const editors = ownersOf(readOwners(config), fieldPath("spec"));
  const approvers = ["action", "approvedPlan"].flatMap((field) => ownersOf(editors, fieldPath("spec", field)));
  const lastTime = editors.reduce((latest, { time = "" }) => (time > latest ? time : latest), "");
  const isLast = ({ time = "" }: Owner) => time === lastTime;
  return (approvers.find(isLast) ?? editors.find(isLast))?.manager;
}
