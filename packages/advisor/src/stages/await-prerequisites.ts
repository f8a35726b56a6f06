// PrerequisiteFailed: says what is missing, and goes on when it is there.

import { land } from "../land.ts";
import type { Decision, Observed } from "../observed.ts";
import { worstOf } from "../severity.ts";
import { enterDrafting } from "./enter-drafting.ts";

const lookAgainMs = 120_000;

export function awaitPrerequisites(seen: Observed): Decision {
  if (seen.blocked === undefined) return enterDrafting(seen, { message: "Prerequisites now available" });
  return blockedLanding(seen, seen.blocked.message);
}

export function blockedLanding(seen: Observed, message: string): Decision {
  const set = { impactSeverity: worstOf(seen.was.items ?? [], seen.impact) };
  return land(seen, "PrerequisiteFailed", { message, set, again: { when: "at", atMs: seen.now + lookAgainMs } });
}
