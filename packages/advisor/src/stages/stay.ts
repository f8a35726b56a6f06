// Stays where it is, and says how the targets and their pools are.

import type { Phase } from "@virt/api";
import { type Landing, land } from "../land.ts";
import type { Decision, Observed } from "../observed.ts";
import { watched } from "../progress.ts";

/** Nothing to decide: the health of the pools may have something to say. */
export function stay(seen: Observed, phase: Phase, landing: Partial<Landing> = {}): Decision {
  const unhealthy = seen.items.find(
    ({ item, rollout }) => item.state === "Completed" && rollout !== undefined && rollout.state !== "done",
  );
  const tool = unhealthy?.rollout ? { tool: { notConverged: unhealthy.rollout.message } } : {};
  const set = { items: seen.items.map(watched), ...landing.set };
  return land(seen, phase, { again: { when: "on-change" }, ...tool, ...landing, set });
}
