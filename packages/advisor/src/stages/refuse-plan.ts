// Rejects and redrafts a stored plan that is stale, differs from its profile, or was changed by another client.

import type { Phase, Review, ReviewReason, Status, VirtPlatformConfig } from "@virt/api";
import type { PlanDifference } from "../check-plan.ts";
import { inputConditions, stalenessConditions } from "../conditions/status-conditions.ts";
import { enterDrafting } from "../enter-phase.ts";
import type { ReconcileFacts } from "../facts.ts";
import type { Decision, Observed } from "../observed.ts";

export function refusePlan(observed: Observed, { reason, text }: PlanDifference): Decision {
  if (reason === "PlanStale") return refuseStalePlan(observed);
  const message = `Regenerating plan: ${text}`;
  const side = reason === "InputChanged" ? [inputConditions.changed(text)] : [];
  return enterDrafting(observed, { message, side, set: { review: forcedReview(observed, reason, text) } });
}

function forcedReview(
  { stored, generation }: Pick<Observed, "stored" | "generation">,
  reason: ReviewReason,
  message: string,
): Review {
  const isExplained = reason === "OperatorUpgraded"; // the version change explains the difference
  return { planHash: stored.planHash ?? "", generation, forced: true, reason, ...(!isExplained && { message }) };
}

export function refuseStalePlan(observed: Observed): Decision {
  const { stored, generation } = observed;
  const review = { planHash: stored.planHash ?? "", generation, forced: true, reason: "PlanStale" } as const;
  return enterDrafting(observed, {
    message: stalenessConditions.found.message,
    side: [stalenessConditions.found],
    set: { review },
  });
}

/** The phases in which a plan can be under review or running. */
const openPhases: readonly (Phase | undefined)[] = ["Pending", "Drafting", "ReviewRequired", "InProgress"];

/**
 * Restores the operator's last status after another client changed it. A pending or running plan then needs a new draft
 * and approval.
 */
export function restoreStatus(
  { metadata: { generation = 0 }, spec }: VirtPlatformConfig,
  { own, change }: { readonly own: Status; readonly change: string },
  { now, operator }: Pick<ReconcileFacts, "now" | "operator">,
): Status {
  if (spec.action === "Ignore" || !openPhases.includes(own.phase)) return own;
  // Ignores a recent approval, because the user may have approved the forged status.
  const observed: Observed = {
    now,
    operator,
    generation,
    spec,
    stored: own,
    impact: own.impactSeverity ?? "High",
    inputs: [],
    items: [],
    rollouts: (own.rollouts ?? []).map((record) => ({ record, health: { state: "waiting", message: "" } })),
    snapshotHash: "",
    statusOrigin: "own",
    isDisruptionStale: false,
    planCheck: { kind: "unchecked" },
  };
  const message = `Regenerating plan: another client changed ${change}`;
  return enterDrafting(observed, { message, set: { review: forcedReview(observed, "PlanTampered", change) } }).status;
}
