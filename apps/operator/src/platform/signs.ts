// What the series of an object show after a pass.

import type { KubeObject } from "@virt/api";
import { readIgnoreFields } from "@virt/engine";
import { readOverrides } from "@virt/platform";
import type { Kept } from "./acting.ts";
import { findingOf } from "./findings.ts";
import type { ObjectSigns } from "./metrics.ts";

export type SignsSeen = {
  readonly live: KubeObject | undefined;
  /** What the series show now; undefined: nothing. */
  readonly last: ObjectSigns | undefined;
  /** A failure that may be over with the next try. */
  readonly isPassing: boolean;
};

/** Undefined where the object is not managed. */
export function signsOf(kept: Kept, seen: SignsSeen): ObjectSigns | undefined {
  const { last } = seen;
  if (kept.kind === "excluded") return undefined;
  if (findingOf(kept) === "blind" && last !== undefined) return last;
  return {
    compliance: complianceOf(kept, seen),
    paused: pausedOf(kept),
    ...overrideSigns(kept, seen),
    contested: contestedIn(kept) ?? (isUnsettled(kept) ? (last?.contested ?? 0) : 0),
  };
}

/** What was in sync is so until it is known to have failed. */
function complianceOf(kept: Kept, { last, isPassing }: SignsSeen): ObjectSigns["compliance"] {
  if (isInSync(kept)) return 1;
  if (kept.kind === "failed" && !isPassing) return 0;
  return isUnsettled(kept) ? last?.compliance : undefined;
}

export function isInSync(kept: Kept): boolean {
  return kept.kind === "applied" || (kept.kind === "verdict" && kept.verdict.kind === "in-sync");
}

export function isUnsettled(kept: Kept): boolean {
  return kept.kind === "failed" || findingOf(kept) !== "settled";
}

function contestedIn(kept: Kept): number | undefined {
  if (kept.kind === "applied") return kept.apply.contested.length;
  if (kept.kind !== "verdict") return undefined;
  const { verdict } = kept;
  return verdict.kind === "contested" || verdict.kind === "in-sync" ? verdict.contested.length : undefined;
}

function overrideSigns(kept: Kept, { live }: SignsSeen): Pick<ObjectSigns, "customizations" | "invalid"> {
  const { patch, ignoreFields, mode } = readOverrides(live);
  const verdict = kept.kind === "verdict" ? kept.verdict : undefined;
  const invalidMode = typeof mode === "string" ? [] : (["mode"] as const);
  if (verdict?.kind === "unmanaged") return { customizations: ["unmanaged"], invalid: invalidMode };
  const isPatchInvalid = verdict?.kind === "held" && verdict.reason === "InvalidPatch";
  const isMaskInvalid = ignoreFields !== undefined && readIgnoreFields(ignoreFields).kind === "refused";
  return {
    customizations: [
      ...(patch !== undefined && !isPatchInvalid ? (["patch"] as const) : []),
      ...(ignoreFields !== undefined && !isMaskInvalid ? (["ignore"] as const) : []),
    ],
    invalid: [
      ...(isPatchInvalid ? (["patch"] as const) : []),
      ...(isMaskInvalid ? (["ignore"] as const) : []),
      ...invalidMode,
    ],
  };
}

export function pausedOf(kept: Kept): ObjectSigns["paused"] {
  if (kept.kind === "paused-now") return "edit-war";
  if (kept.kind !== "verdict") return undefined;
  if (kept.verdict.kind === "deletion-fight") return "deletion-fight";
  return kept.verdict.kind === "paused" ? kept.verdict.reason : undefined;
}
