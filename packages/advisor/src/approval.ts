// Whether a plan may run, and what a plan on display says about why it waits.

import type { Review, ReviewReason, Spec, Status } from "@virt/api";
import { conditionIs } from "./conditions/read.ts";

/** What approval depends on. */
export type Asked = {
  readonly spec: Spec;
  readonly generation: number;
  readonly was: Status;
  readonly operator: { readonly version: string; readonly mustPin: boolean };
};

/** The plan with this hash may be executed: a person asked for it, after having seen it where that is due. */
export function mayExecute(asked: Asked, planHash: string): boolean {
  const { spec, generation, was } = asked;
  if (spec.action !== "Apply" || !isPinned(asked, planHash)) return false;
  if (generation <= (was.executedGeneration ?? 0)) return false;
  if (!isForced(asked)) return true;
  return was.review !== undefined && generation > was.review.generation && was.review.planHash === planHash;
}

/** The approval names this plan, or needs to name none. */
export function isPinned({ spec, operator }: Asked, planHash: string): boolean {
  return spec.approvedPlan === undefined ? !operator.mustPin : spec.approvedPlan === planHash;
}

/** Something happened that nobody asked for: the plan must have been on display before it runs. */
export function isForced(asked: Asked): boolean {
  const { was } = asked;
  const isMarked = conditionIs(was, "InputDependencyDrift", "True") || conditionIs(was, "PlanStale", "True");
  return isMarked || was.review?.forced === true || isUpgraded(asked);
}

/** Another version of the operator drafted the stored plan. */
export function isUpgraded({ was, operator }: Asked): boolean {
  return was.operatorVersion !== undefined && was.operatorVersion !== "" && was.operatorVersion !== operator.version;
}

/** How the plan is put on display. An Apply that is withheld makes the review a forced one. */
export function reviewOf(asked: Asked, planHash: string): Review {
  const forced = asked.spec.action === "Apply" || isForced(asked);
  return { planHash, generation: asked.generation, forced, reason: reasonOf(asked, planHash) };
}

function reasonOf(asked: Asked, planHash: string): ReviewReason {
  const { spec, was } = asked;
  if (conditionIs(was, "InputDependencyDrift", "True")) return "InputChanged";
  if (conditionIs(was, "PlanStale", "True")) return "PlanStale";
  if (isUpgraded(asked)) return "OperatorUpgraded";
  if (spec.action === "Apply") return isPinned(asked, planHash) ? "NotRequested" : "ApprovalRequired";
  return was.review?.forced === true ? was.review.reason : "Requested";
}
