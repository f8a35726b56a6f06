// ReviewRequired: a plan is on display until a person approves it, or until the world moves under it.

import { mayExecute, reviewOf } from "../approval.ts";
import { inputs as inputSays } from "../conditions/side.ts";
import { land } from "../land.ts";
import { isBack, movedSinceDrafted } from "../moved-inputs.ts";
import type { Decision, Observed } from "../observed.ts";
import { reviewText } from "../texts.ts";
import { enterDrafting } from "./enter-drafting.ts";
import { present, show } from "./present.ts";
import { isLockBypassed, stalePlan } from "./stale-plan.ts";
import { startExecution } from "./start-execution.ts";

export function awaitApproval(seen: Observed): Decision {
  const { was } = seen;
  const planHash = was.planHash ?? "";
  const [moved] = movedSinceDrafted(seen.inputs);
  if (moved !== undefined) return inputsMoved(seen, moved.moved);
  const isStale = seen.items.some((item) => item.isStale);
  if (mayExecute(seen, planHash)) {
    if (isStale && !isLockBypassed(seen.spec)) return stalePlan(seen);
    return startExecution(seen, { set: {} });
  }
  if (seen.draft !== undefined) return seen.draft.kind === "drafted" ? show(seen, seen.draft) : present(seen);
  return stay(seen, planHash);
}

/** Back to what it was when the last plan was finished: then nothing is left that moved, but nobody has seen that plan. */
function inputsMoved(seen: Observed, text: string): Decision {
  const message = `Regenerating plan due to input dependency change: ${text}`;
  if (!isBack(seen.inputs)) return enterDrafting(seen, { message, side: [inputSays.changed(text)] });
  const { review = reviewOf(seen, seen.was.planHash ?? "") } = seen.was;
  const set = { review: { ...review, forced: true, reason: "NotRequested" } } as const;
  return enterDrafting(seen, { message, side: [inputSays.resolved], set });
}

function stay(seen: Observed, planHash: string): Decision {
  const { was, spec, generation } = seen;
  const isShown = was.review?.planHash === planHash && was.review.generation === generation;
  const isKept = isShown && (spec.action !== "Apply" || was.review.forced);
  const review = isKept ? was.review : reviewOf(seen, planHash);
  const message = reviewText(planHash, review.reason === "ApprovalRequired");
  return land(seen, "ReviewRequired", { message, set: { review }, again: { when: "on-change" } });
}
