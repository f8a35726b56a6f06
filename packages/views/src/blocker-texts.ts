// Texts about whether anything is blocking a rollout. If a diagnosis lacks inputs, the text never says that nothing is
// blocking it.

import type { ImpactGap } from "@virt/api";
import type { RolloutProgressView } from "./rollout-progress.ts";

/**
 * Returns the text for a diagnosis without findings. It says that nothing is blocking the rollout only if all kinds
 * were checked.
 */
export function noBlockerText(unchecked: readonly string[], subject = "this rollout"): string {
  return unchecked.length === 0
    ? `Nothing is blocking ${subject}.`
    : `Found no blocking cause, but could not check: ${unchecked.join(", ")}.`;
}

/** Names the kinds that the diagnosis could not check. Undefined if it checked all of them. */
export function uncheckedText({
  findings,
  notAssessed,
}: Pick<RolloutProgressView, "findings" | "notAssessed">): string | undefined {
  const kinds = notAssessed.map(({ what }) => what);
  if (kinds.length === 0) return undefined;
  return findings.length === 0
    ? noBlockerText(kinds)
    : `Could not check: ${kinds.join(", ")}. Findings may be missing.`;
}

/** Reports whether a rollout has unfinished nodes, findings, or inputs that could not be checked. */
export function isRolloutCurrent({ isOpen, findings, notAssessed }: RolloutProgressView): boolean {
  return isOpen || findings.length > 0 || notAssessed.length > 0;
}

/** Returns `<kind>: <reason> (<message of the API server>)`. */
export function gapText({ what, reason, message }: ImpactGap): string {
  return `${what}: ${reason}${message === "" ? "" : ` (${message})`}`;
}
