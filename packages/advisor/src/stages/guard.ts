// Completed, Drifted and their kin: watches inputs, targets, pools and the operator's own version.

import { inputs as inputSays } from "../conditions/side.ts";
import { type Correction, correct } from "../correction.ts";
import { driftText } from "../drift-text.ts";
import { completed } from "../items.ts";
import { type Landing, land } from "../land.ts";
import { movedSinceApplied } from "../moved-inputs.ts";
import type { Decision, ItemSeen, Observed } from "../observed.ts";
import { watched } from "../progress.ts";
import { enterDrafting } from "./enter-drafting.ts";
import { guardVersion } from "./guard-version.ts";
import { stay } from "./stay.ts";

const onChange = { when: "on-change" } as const;

export function guard(seen: Observed): Decision {
  const [moved] = movedSinceApplied(seen.inputs);
  if (moved !== undefined) {
    const message = `Regenerating plan due to input dependency change: ${moved.moved}`;
    return enterDrafting(seen, { message, side: [inputSays.changed(moved.moved)] });
  }
  const drifted = seen.items.filter(({ item, drift }) => item.state === "Completed" && drift !== undefined);
  if (drifted.length > 0) return drift(seen, drifted);
  const { phase } = seen.was;
  if (phase === "Drifted") return settled(seen);
  if (phase === "CompletedWithErrors" && seen.items.every(isFine)) return recovered(seen);
  return guardVersion(seen) ?? stay(seen, phase ?? "Completed");
}

function isFine({ drift, rollout }: ItemSeen): boolean {
  return drift === undefined && (rollout === undefined || rollout.state === "done");
}

/** Back in sync. */
function settled(seen: Observed): Decision {
  const hasFailed = seen.items.some(({ item }) => item.state === "Failed");
  const message = "Drift has been corrected - configuration is back in sync";
  if (hasFailed) return stay(seen, "CompletedWithErrors", { message, again: { when: "at-once" } });
  return stay(seen, "Completed", { message });
}

function recovered(seen: Observed): Decision {
  const items = seen.items.map(({ item, restingMessage }) => completed(item, restingMessage, seen.now));
  return land(seen, "Completed", { message: "All items applied successfully", set: { items }, again: onChange });
}

function drift(seen: Observed, drifted: readonly ItemSeen[]): Decision {
  const { spec, was, now } = seen;
  const items = seen.items.map(watched);
  const message = driftText(drifted);
  const correction = spec.action === "Apply" && spec.bypassOptimisticLock ? correct(drifted, items, now) : undefined;
  if (was.phase === "Drifted" && correction?.kind === "correct")
    return land(seen, "InProgress", { set: { items: correction.items }, again: { when: "at-once" } });
  return land(seen, "Drifted", { message, set: { items }, again: againOf(correction, now), ...toolOf(correction) });
}

function againOf(correction: Correction | undefined, now: number): Decision["again"] {
  if (correction === undefined) return onChange;
  if (correction.kind === "correct") return { when: "at-once" };
  return { when: "at", atMs: now + (correction.kind === "wait" ? correction.inMs : correction.overInMs) };
}

function toolOf(correction: Correction | undefined): Pick<Landing, "tool"> {
  if (correction === undefined) return {};
  if (correction.kind === "fight") return { tool: { correction: { gaveUp: correction.text } } };
  return { tool: { correction: "will-act" } };
}
