// Each asset with its status here, one row each; the documents, tables and pages are made of these.

import type { KubeObject } from "@virt/api";
import { writePath } from "@virt/engine";
import type { Asset } from "../asset.ts";
import type { Contested } from "../baseline/contested.ts";
import type { Verdict } from "../baseline/verdict.ts";
import { nameOf } from "../evaluate/already-provided.ts";
import type { Standing } from "../evaluate/standing.ts";
import type { Preview } from "./preview.ts";

/** Filtered: excluded by a rule of disabled-resources. */
export const rowStatuses = ["INCLUDED", "EXCLUDED", "FILTERED", "ERROR"] as const;
export type RowStatus = (typeof rowStatuses)[number];

export type AssetRow = {
  readonly asset: Asset;
  /** Kind/namespace/name. */
  readonly target: string;
  readonly kind: string;
  readonly status: RowStatus;
  /** Why it is not applied; for an included one, what of it is not. */
  readonly reason?: string;
  readonly details?: string;
};

type Told = Pick<AssetRow, "status" | "reason" | "details">;

export function rowsOf(preview: Preview): readonly AssetRow[] {
  const { object, evaluated } = preview;
  return object.assets.map((asset) => {
    const standing = evaluated.standings.get(asset.name);
    const told = standing === undefined || standing.kind === "active" ? tellObject(preview) : tellStanding(standing);
    return { asset, target: nameOf(object.ref), kind: object.ref.kind, ...told };
  });
}

const errors: ReadonlySet<string> = new Set(["RenderError", "InvalidExclusions"]);

function tellStanding({ kind, reason, details }: Exclude<Standing, { kind: "active" }>): Told {
  if (kind === "held" || errors.has(reason)) return { status: "ERROR", reason, details };
  return { status: reason === "RootExclusion" ? "FILTERED" : "EXCLUDED", reason, details };
}

/** The asset is active; what became of its object? */
function tellObject({ judged, evaluated: { wanted } }: Preview): Told {
  if (judged === undefined)
    return wanted.kind === "held"
      ? { status: "ERROR", reason: wanted.reason, details: wanted.message }
      : { status: "INCLUDED" };
  const { verdict, intended } = judged;
  if (intended?.kind === "held") return { status: "ERROR", reason: intended.reason, details: intended.message };
  return tellVerdict(verdict, intended?.contested ?? []);
}

function tellVerdict(verdict: Verdict, contested: readonly Contested[]): Told {
  const left = (reason: string, details: string): Told => ({ status: "EXCLUDED", reason, details });
  switch (verdict.kind) {
    case "managed-by-other":
      return left("ManagedByOther", `its label says that ${verdict.by} manages it`);
    case "unmanaged":
      return left("Unmanaged", "annotation platform.kubevirt.io/mode is unmanaged");
    case "paused":
      return left("Paused", `annotation platform.kubevirt.io/reconcile-paused is true (${verdict.reason})`);
    case "pause":
      return left("Paused", `an edit war over ${verdict.paused.field} with ${verdict.paused.by}`);
    case "deletion-fight":
      return left("Paused", `somebody deleted it ${verdict.count} times within an hour`);
    case "contested":
      return left("Contested", contestedText(contested));
    case "not-there":
      return left("HCOMissing", "only others create it");
    case "held":
      return { status: "ERROR", reason: verdict.reason, details: verdict.message };
    case "in-sync":
    case "apply":
    case "wait":
      return contested.length === 0
        ? { status: "INCLUDED" }
        : { status: "INCLUDED", reason: "Contested", details: contestedText(contested) };
  }
}

function contestedText(contested: readonly Contested[]): string {
  return contested.map(({ path, managers }) => `${writePath(path)} (${managers.join(", ")})`).join(", ");
}

/** What would be applied, without our memory: undefined where nothing is. */
export function documentOf(preview: Preview): KubeObject | undefined {
  const isIncluded = rowsOf(preview).some(({ status }) => status === "INCLUDED");
  const intended = preview.judged?.intended;
  return isIncluded && intended?.kind === "intended" ? intended.object : undefined;
}

/** Reason and details as one text. */
export function reasonText({ reason, details }: Pick<AssetRow, "reason" | "details">): string {
  return [reason, details].filter((part) => part !== undefined && part !== "").join(": ");
}
