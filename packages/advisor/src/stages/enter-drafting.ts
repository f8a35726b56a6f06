// Enters Drafting, which is written before anything is drafted so that a watcher sees it.

import type { Saying } from "../conditions/phase.ts";
import { land, type StatusChange } from "../land.ts";
import type { Decision, Observed } from "../observed.ts";

export type WhyDraft = {
  readonly message: string;
  readonly side?: readonly Saying[];
  readonly set?: StatusChange;
};

export function enterDrafting(seen: Observed, why: WhyDraft): Decision {
  return land(seen, "Drafting", { ...why, again: { when: "at-once" } });
}
