// The plan in status is not the one to apply: it is stale, differs from its profile, or somebody else wrote it. Nothing more of it is
// written, and the true one goes on display.

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

/** Nothing that was approved so far counts. */
function forcedReview(
  { stored, generation }: Pick<Observed, "stored" | "generation">,
  reason: ReviewReason,
  message: string,
): Review {
  const isExplained = reason === "OperatorUpgraded"; // that another version drafted it is all that there is to know
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

/** A plan that somebody may be looking at, or that is being applied. */
const openPhases: readonly (Phase | undefined)[] = ["Pending", "Drafting", "ReviewRequired", "InProgress"];

/**
 * The status to write when somebody else wrote the stored one: what this process had written, with an open plan to be drafted and
 * approved again. `own` is what this process wrote, `change` what is stored instead, as a clause.
 */
export function restoreStatus(
  { metadata: { generation = 0 }, spec }: VirtPlatformConfig,
  { own, change }: { readonly own: Status; readonly change: string },
  { now, operator }: Pick<ReconcileFacts, "now" | "operator">,
): Status {
  if (spec.action === "Ignore" || !openPhases.includes(own.phase)) return own;
  // What was approved meanwhile may have been approved because of the foreign status.
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
