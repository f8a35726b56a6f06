// Stays where it is, and says how the targets and their pools are.

import type { Phase } from "@virt/api";
import { type Landing, land } from "../land.ts";
import type { Decision, Observed } from "../observed.ts";
import { watched } from "../progress.ts";

/** Nothing to decide: the health of the pools may have something to say. */
export function stay(seen: Observed, phase: Phase, landing: Partial<Landing> = {}): Decision {
  const set = { items: seen.items.map(watched), ...landing.set };
  return land(seen, phase, { again: { when: "on-change" }, ...poolsOf(seen), ...landing, set });
}

/** A pool of a completed item that is not done. */
export function poolsOf({ items }: Observed): Pick<Landing, "tool"> {
  const unhealthy = items.find(
    ({ item, rollout }) => item.state === "Completed" && rollout !== undefined && rollout.state !== "done",
  );
  return unhealthy?.rollout ? { tool: { notConverged: unhealthy.rollout.message } } : {};
}
