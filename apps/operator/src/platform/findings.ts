// What a pass could find out about an object: what it could not look into stands as it was.

import type { Evaluated } from "@virt/platform";
import type { Kept } from "./acting.ts";

/**
 * Settled: all is known. Passing: something is due and not done yet. Held: people have to mend an override first.
 * Blind: an input is missing, and nothing is known.
 */
export type Finding = "settled" | "passing" | "held" | "blind";

const invalidOverrides: ReadonlySet<string> = new Set(["InvalidPatch", "InvalidIgnoreFields"]);

export function findingOf(kept: Kept): Finding {
  if (kept.kind === "failed") return kept.isPermanent ? "settled" : "passing";
  if (kept.kind !== "verdict") return "settled";
  if (kept.verdict.kind === "wait") return "passing";
  if (kept.verdict.kind !== "held") return "settled";
  return invalidOverrides.has(kept.verdict.reason) ? "held" : "blind";
}

const undecidedBy: Readonly<Record<Finding, readonly string[]>> = {
  settled: [],
  passing: ["Contested", "ApplyFailed", "DriftDetected"],
  held: ["Contested", "ApplyFailed"],
  blind: [
    "Contested",
    "ApplyFailed",
    "DriftDetected",
    "InvalidPatch",
    "InvalidIgnoreFields",
    "InvalidMode",
    "UnmanagedMode",
    "ThrashingDetected",
  ],
};

/** Of an asset whose input is missing nobody knows whether it would still yield, or render. */
const ofHeldAssets = ["GovernedByPlan", "AlreadyProvided", "PurposeConflict", "RenderFailed"];

/** Reasons of news that a pass says nothing about: what was told of them is not over. */
export function undecided(kept: Kept, { standings }: Evaluated): ReadonlySet<string> {
  const isHeld = [...standings.values()].some(({ kind }) => kind === "held");
  const failed = kept.kind === "failed" ? ["Contested"] : [];
  return new Set([...undecidedBy[findingOf(kept)], ...failed, ...(isHeld ? ofHeldAssets : [])]);
}
