// A target moved after the approval: nothing of the plan is written any more, and a new one goes on display.

import type { Spec } from "@virt/api";
import { staleness } from "../conditions/side.ts";
import type { Decision, Observed } from "../observed.ts";
import { texts } from "../texts.ts";
import { enterDrafting } from "./enter-drafting.ts";

export function stalePlan(seen: Observed): Decision {
  const { was, generation } = seen;
  const review = { planHash: was.planHash ?? "", generation, forced: true, reason: "PlanStale" } as const;
  return enterDrafting(seen, { message: texts.stale, side: [staleness.found], set: { review } });
}

/** The person does not care what the targets looked like, unless a certain plan was pinned. */
export function isLockBypassed({ bypassOptimisticLock, approvedPlan }: Spec): boolean {
  return bypassOptimisticLock && approvedPlan === undefined;
}
