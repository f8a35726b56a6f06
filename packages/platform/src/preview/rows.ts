import { fieldManagers, type KubeObject } from "@virt/api";
import { appliedBy, leavesOf, type Path, readOwners, showValue, writePath } from "@virt/objects";
import type { Asset } from "../asset.ts";
import type { Contested } from "../baseline/contested.ts";
import type { HeldDecision, ObjectDecision } from "../baseline/decision.ts";
import { describeMutation } from "../baseline/mutation.ts";
import { readState } from "../baseline/state.ts";
import type { AssetStatus } from "../evaluate/asset-status.ts";
import { objectName } from "../evaluate/managed-objects.ts";
import { isState, releasedManager } from "../hco-annotations.ts";
import { isHeldByInputLimit } from "../reboot/input-limit.ts";
import { isHeldAtGate } from "../reboot/reboot-gate.ts";
import type { ShownImpact } from "../reboot/shown-impact.ts";
import type { ManagedBy } from "./managed-by.ts";
import type { Preview } from "./preview.ts";

/** The statuses of a row. FILTERED means that a disabled-resources rule excludes the asset. */
export const rowStatuses = ["INCLUDED", "EXCLUDED", "FILTERED", "ERROR"] as const;
/** The status of an asset in tables and reports. `EXCLUDED` covers all reasons except a disabled-resources rule. */
export type RowStatus = (typeof rowStatuses)[number];

/** An asset in tables and reports. `target` is the object as `objectName` writes it. */
export type AssetRow = {
  readonly asset: Asset;
  readonly target: string;
  readonly kind: string;
  readonly status: RowStatus;
  /** The reason why the asset is not applied. For an included asset, why part of it is not. */
  readonly reason?: string;
  readonly details?: string;
  readonly managedBy: ManagedBy;
};

type RowText = Pick<AssetRow, "status" | "reason" | "details">;

/** Returns a row for each asset of the object, in the order of the assets. */
export function rowsOf(preview: Preview): readonly AssetRow[] {
  const { object, evaluated } = preview;
  return object.assets.map((asset) => {
    const status = evaluated.statuses.get(asset.name);
    const text = status === undefined || status.kind === "active" ? describeObject(preview) : describeStatus(status);
    return { asset, target: objectName(object.ref), kind: object.ref.kind, ...text, managedBy: preview.managedBy };
  });
}

const errors: ReadonlySet<string> = new Set(["RenderError", "InvalidExclusions"]);

function describeStatus({ kind, reason, details }: Exclude<AssetStatus, { kind: "active" }>): RowText {
  if (kind === "held" || errors.has(reason)) return { status: "ERROR", reason, details };
  return { status: reason === "RootExclusion" ? "FILTERED" : "EXCLUDED", reason, details };
}

function describeObject({ decided, evaluated: { wanted } }: Preview): RowText {
  if (decided === undefined)
    return wanted.kind === "held"
      ? { status: "ERROR", reason: wanted.reason, details: wanted.message }
      : { status: "INCLUDED" };
  const { decision, intended } = decided;
  if (intended?.kind === "held") return { status: "ERROR", reason: intended.reason, details: intended.message };
  return describeDecision(decision, intended?.contested ?? []);
}

function describeDecision(decision: ObjectDecision, contested: readonly Contested[]): RowText {
  const left = (reason: string, details: string): RowText => ({ status: "EXCLUDED", reason, details });
  switch (decision.kind) {
    case "managed-by-other":
      return left("ManagedByOther", `label platform.kubevirt.io/managed-by names ${decision.by}`);
    case "unmanaged":
      return left("Unmanaged", "annotation platform.kubevirt.io/mode is unmanaged");
    case "paused":
      return left("Paused", `annotation platform.kubevirt.io/reconcile-paused is true (${decision.reason})`);
    case "pause":
      return left("Paused", `edit war over ${decision.paused.field} with ${decision.paused.by}`);
    case "deletion-fight":
      return left("Paused", `it was deleted ${decision.count} times within an hour`);
    case "contested":
      return left("Contested", contestedText(contested));
    case "not-there":
      return left("HCOMissing", "it does not exist, and the operator never creates it");
    case "held":
      return {
        status: isHeldBeforeReboot(decision) ? "INCLUDED" : "ERROR",
        reason: decision.reason,
        details: decision.message,
      };
    case "mutated":
      return { status: "INCLUDED", reason: "MutatedByAdmission", details: describeMutation(decision.changes) };
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

/** Returns the object to apply, without the state annotation, or undefined if nothing would be applied. */
export function documentOf(preview: Preview): KubeObject | undefined {
  const isIncluded = rowsOf(preview).some(({ status }) => status === "INCLUDED");
  const intended = preview.decided?.intended;
  return isIncluded && intended?.kind === "intended" ? intended.object : undefined;
}

const rowText = ({ reason, message: details }: HeldDecision) => ({ reason, details });

/** Returns reason and details in one line. Empty if there is neither. */
export function reasonText({ reason, details }: Pick<AssetRow, "reason" | "details">): string {
  return [reason, details].filter((part) => part !== undefined && part !== "").join(": ");
}

export const objectStatuses = [
  "InSync",
  "Pending",
  "Unknown",
  "Failed",
  "Paused",
  "Unmanaged",
  "Contested",
  "Held",
  "Excluded",
] as const;
export type ObjectStatus = (typeof objectStatuses)[number];

/** The failure of the last reconcile. `isPermanent`: a retry without a change has the same result. */
export type LastError = { readonly message: string; readonly isPermanent: boolean };

export type ContestedRow = {
  readonly path: string;
  readonly managers: readonly string[];
  readonly wanted: string;
  readonly found: string;
};

/** An object in the report. Fields are written as JSON pointers. */
export type ObjectRow = {
  readonly object: string;
  readonly status: ObjectStatus;
  readonly assets: readonly string[];
  readonly managedBy: ManagedBy;
  readonly owned: readonly string[];
  readonly released: readonly string[];
  readonly contested: readonly ContestedRow[];
  /** Time of the operator's last write. */
  readonly lastWrite?: string;
  readonly lastError?: string;
  /** Why the reboot gate or the input limit blocks the write. */
  readonly held?: string;
  readonly impact?: ShownImpact;
  /** The number of recent corrections, by field and opponent. */
  readonly fights: Readonly<Record<string, number>>;
};

/** Facts that only the running operator has. A preview has none. */
export type LiveObjectFacts = {
  readonly lastError?: LastError | undefined;
  readonly impact?: ShownImpact | undefined;
  readonly heldRemoval?: HeldDecision | undefined;
};

/** Returns an object's row in the report. A blocked deletion takes precedence over the decision. */
export function objectRow(preview: Preview, { lastError, impact, heldRemoval }: LiveObjectFacts = {}): ObjectRow {
  const { object, live, evaluated, decided } = preview;
  const owners = live === undefined ? [] : readOwners(live);
  const ours = owners.find(({ manager, operation }) => manager === fieldManagers.platform && operation === "Apply");
  const contested = decided?.intended?.kind === "intended" ? decided.intended.contested : [];
  const removal = evaluated.wanted.kind === "excluded" ? heldRemoval : undefined;
  const decision = removal ?? decided?.decision;
  return {
    object: objectName(object.ref),
    status: removal === undefined ? statusOf(preview, lastError) : "Held",
    assets: [...evaluated.statuses].flatMap(([asset, { kind }]) => (kind === "active" ? [asset] : [])),
    managedBy: preview.managedBy,
    owned: written(leavesOf(appliedBy(owners, fieldManagers.platform))),
    released: written(leavesOf(appliedBy(owners, releasedManager))),
    contested: contested.map(({ path, managers, wanted, there }) => ({
      path: writePath(path),
      managers,
      wanted: showValue(wanted),
      found: showValue(there),
    })),
    ...(ours?.time !== undefined && { lastWrite: ours.time }),
    ...errorOf(decided?.decision, lastError),
    ...(decision !== undefined && isHeldBeforeReboot(decision) && { held: reasonText(rowText(decision)) }),
    ...(impact !== undefined && { impact }),
    fights: Object.fromEntries(Object.entries(readState(live).fights).map(([key, times]) => [key, times.length])),
  };
}

function errorOf(decision: ObjectDecision | undefined, lastError: LastError | undefined): Pick<ObjectRow, "lastError"> {
  if (decision?.kind === "mutated") return { lastError: `MutatedByAdmission: ${describeMutation(decision.changes)}` };
  return lastError === undefined ? {} : { lastError: lastError.message };
}

function written(paths: readonly Path[]): readonly string[] {
  return paths.filter((path) => !isState(path)).map(writePath);
}

/** Returns Failed if the server rejects the object permanently, or Unknown after a temporary failure. */
function statusOf({ evaluated: { wanted }, decided }: Preview, lastError: LastError | undefined): ObjectStatus {
  if (wanted.kind === "excluded") return "Excluded";
  if (wanted.kind === "held" || decided === undefined) return "Held";
  switch (decided.decision.kind) {
    case "managed-by-other":
    case "unmanaged":
      return "Unmanaged";
    case "paused":
    case "pause":
    case "deletion-fight":
      return "Paused";
    case "contested":
      return "Contested";
    case "held":
      return "Held";
    case "mutated":
      return "Failed";
    case "in-sync":
      return "InSync";
    case "apply":
    case "wait":
    case "not-there":
      if (lastError === undefined) return "Pending";
      return lastError.isPermanent ? "Failed" : "Unknown";
  }
}

function isHeldBeforeReboot(decision: ObjectDecision): decision is HeldDecision {
  return isHeldAtGate(decision) || isHeldByInputLimit(decision);
}
