// Tells people what happened to an object, when it changed and not while it stands.

import type { KubeObject } from "@virt/api";
import { describeOpponent, writePath } from "@virt/engine";
import {
  type Apply,
  type Asset,
  type Evaluated,
  type ManagedObject,
  objectAnnotations,
  readOverrides,
  type Standing,
  type Verdict,
} from "@virt/platform";
import type { Kept } from "./acting.ts";
import type { Pass } from "./keep.ts";
import { keyOf } from "./objects.ts";

export type Told = { readonly type: "Normal" | "Warning"; readonly reason: string; readonly note: string };

const adopt = `Set annotation '${objectAnnotations.adopt}=true' on the object to let the operator take them.`;
const resume = `Remove annotation '${objectAnnotations.paused}=true' to resume, or set '${objectAnnotations.mode}=unmanaged' if external management is intentional.`;

export const normal = (reason: string, note: string): readonly Told[] => [{ type: "Normal", reason, note }];
export const warning = (reason: string, note: string): readonly Told[] => [{ type: "Warning", reason, note }];

/** What stands after a pass. What was told before and is not among it is over. */
export function standingNews(
  { ref, assets }: ManagedObject,
  { kept, evaluated }: Pass,
  live?: KubeObject,
): readonly Told[] {
  const name = keyOf(ref);
  const governed = [...evaluated.standings.values()].flatMap((standing) =>
    standing.kind === "excluded" && standing.reason === "GovernedByPlan"
      ? normal("GovernedByPlan", `${name} is governed by ${standing.details}, platform management yields`)
      : [],
  );
  const failures = [...evaluated.standings].flatMap(([asset, standing]) => standingTold(asset, standing));
  const rivals = assets.flatMap((asset) => rivalTold(name, asset, evaluated.standings.get(asset.name)));
  return [...governed.slice(0, 1), ...failures, ...rivals, ...modeTold(name, live), ...keptTold(name, kept, evaluated)];
}

function standingTold(asset: string, standing: Standing): readonly Told[] {
  if (standing.kind !== "excluded") return [];
  if (standing.reason === "RenderError")
    return warning("RenderFailed", `Failed to render asset ${asset}: ${standing.details}`);
  if (standing.reason === "AlreadyProvided")
    return normal("AlreadyProvided", `Asset ${asset} not applied: ${standing.details} already provides it`);
  return [];
}

function rivalTold(name: string, { purpose, feature }: Asset, standing: Standing | undefined): readonly Told[] {
  if (standing?.kind !== "active" || standing.rival === undefined) return [];
  return warning("PurposeConflict", `${name} and ${standing.rival} serve the same purpose ${purpose ?? feature}`);
}

function modeTold(name: string, live: KubeObject | undefined): readonly Told[] {
  const { mode } = readOverrides(live);
  if (typeof mode === "string") return [];
  return warning("InvalidMode", `Invalid mode annotation for ${name}: ${mode.invalid} (must be 'unmanaged' or empty)`);
}

function keptTold(name: string, kept: Kept, evaluated: Evaluated): readonly Told[] {
  switch (kept.kind) {
    case "excluded":
    case "applied":
      return kept.kind === "applied" ? contestedTold(name, kept.apply.contested) : [];
    case "paused-now": {
      const { field, by, count } = kept.verdict.paused;
      return warning(
        "ThrashingDetected",
        `Edit war detected for ${name}: ${field} was changed ${count} times by ${by}. Reconciliation paused. Another actor is modifying this resource, conflicting with operator management. ${resume}`,
      );
    }
    case "failed":
      return kept.isPermanent
        ? warning("ApplyFailed", `Failed to apply asset ${activeAssets(evaluated)}: ${kept.message}`)
        : [];
    case "verdict":
      return verdictTold(name, kept.verdict);
  }
}

/** As an event names the assets of an object. */
export function activeAssets({ standings }: Evaluated): string {
  return [...standings].flatMap(([asset, { kind }]) => (kind === "active" ? [asset] : [])).join(",");
}

function verdictTold(name: string, verdict: Verdict): readonly Told[] {
  switch (verdict.kind) {
    case "unmanaged":
      return normal("UnmanagedMode", `Resource ${name} is in unmanaged mode, skipping reconciliation`);
    case "held":
      return heldTold(name, verdict);
    case "contested":
    case "in-sync":
      return contestedTold(name, verdict.contested);
    case "deletion-fight":
      return warning(
        "ThrashingDetected",
        `Edit war detected for ${name}: it was deleted ${verdict.count} times. It is not created again for now. Another actor deletes this resource; exclude it by annotation 'platform.kubevirt.io/disabled-resources' on the HyperConverged if that is intentional.`,
      );
    case "managed-by-other":
    case "paused":
    case "not-there":
    case "apply":
    case "wait":
    case "pause":
      return [];
  }
}

/** Drift is told meanwhile, though nobody corrects it. */
function heldTold(name: string, verdict: Extract<Verdict, { kind: "held" }>): readonly Told[] {
  const { reason, message, changes = [], opponents = [] } = verdict;
  return [...invalidTold(name, reason, message), ...driftTold(name, { changes, opponents })];
}

function invalidTold(name: string, reason: string, message: string): readonly Told[] {
  if (reason === "InvalidPatch") return warning(reason, `Invalid JSON patch for ${name}: ${message}`);
  if (reason === "InvalidIgnoreFields")
    return warning(reason, `Invalid ignore-fields annotation for ${name}: ${message}`);
  return [];
}

export function driftTold(name: string, { changes, opponents }: Pick<Apply, "changes" | "opponents">): readonly Told[] {
  if (changes.length === 0) return [];
  const paths = changes.map(({ path }) => writePath(path)).join(", ");
  const by = opponents.join(", ") || describeOpponent("unknown");
  return warning("DriftDetected", `Drift detected for ${name}: ${paths} changed by ${by}`);
}

function contestedTold(name: string, contested: Extract<Verdict, { kind: "contested" }>["contested"]): readonly Told[] {
  if (contested.length === 0) return [];
  const fields = contested.map(({ path, managers }) => `${writePath(path)} (${managers.join(", ")})`).join(", ");
  return warning("Contested", `Fields of ${name} are set by others and left alone: ${fields}. ${adopt}`);
}
