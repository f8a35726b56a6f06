// Whether a pass must draft the plan anew before it can decide: that costs requests, so it is asked first.

import { mayExecute } from "./approval.ts";
import { movedSinceApplied, movedSinceDrafted } from "./moved-inputs.ts";
import type { Observed } from "./observed.ts";
import { prelude } from "./prelude.ts";

export function wantsDraft(seen: Observed): boolean {
  const before = prelude(seen);
  if (before.kind === "decided" || seen.blocked !== undefined) return false;
  switch (before.phase) {
    case "Drafting":
      return true;
    case "ReviewRequired":
      return isOutdated(seen) && !mayExecute(seen, seen.was.planHash ?? "");
    case "CompletedWithUpgrade":
      return seen.upgrade === "aligned" && movedSinceApplied(seen.inputs).length === 0;
    case "Pending":
    case "PrerequisiteFailed":
    case "InProgress":
    case "Completed":
    case "CompletedWithErrors":
    case "Failed":
    case "Drifted":
    case "Ignored":
      return false;
  }
}

/** A target moved, or a plan that changes nothing has nothing left to wait for. */
function isOutdated({ items, inputs }: Observed): boolean {
  if (movedSinceDrafted(inputs).length > 0) return false;
  const isIdle = items.every(({ item, rollout }) => !item.changes && (rollout?.state ?? "done") === "done");
  return isIdle || items.some(({ isStale }) => isStale);
}
