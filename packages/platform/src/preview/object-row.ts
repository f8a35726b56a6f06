// How a managed object stands: status, who owns what in it, and what was fought over.

import { fieldManagers } from "@virt/api";
import { appliedBy, leavesOf, type Path, readOwners, writePath } from "@virt/engine";
import { isState, releasedManager } from "../baseline/names.ts";
import { readState } from "../baseline/state.ts";
import { nameOf } from "../evaluate/already-provided.ts";
import type { Preview } from "./preview.ts";

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

/** What the last pass could not do; permanent: the server will say so again. */
export type LastError = { readonly message: string; readonly isPermanent: boolean };

export type ObjectRow = {
  readonly object: string;
  readonly status: ObjectStatus;
  /** Those that are active. */
  readonly assets: readonly string[];
  readonly owned: readonly string[];
  readonly released: readonly string[];
  readonly contested: readonly { readonly path: string; readonly managers: readonly string[] }[];
  /** When our manager last wrote to it. */
  readonly lastWrite?: string;
  readonly lastError?: string;
  /** By field and opponent, how often it was corrected of late. */
  readonly fights: Readonly<Record<string, number>>;
};

export function objectRow(preview: Preview, lastError: LastError | undefined): ObjectRow {
  const { object, live, evaluated, judged } = preview;
  const owners = live === undefined ? [] : readOwners(live);
  const ours = owners.find(({ manager, operation }) => manager === fieldManagers.platform && operation === "Apply");
  const contested = judged?.intended?.kind === "intended" ? judged.intended.contested : [];
  return {
    object: nameOf(object.ref),
    status: statusOf(preview, lastError),
    assets: [...evaluated.standings].flatMap(([asset, { kind }]) => (kind === "active" ? [asset] : [])),
    owned: written(leavesOf(appliedBy(owners, fieldManagers.platform))),
    released: written(leavesOf(appliedBy(owners, releasedManager))),
    contested: contested.map(({ path, managers }) => ({ path: writePath(path), managers })),
    ...(ours?.time !== undefined && { lastWrite: ours.time }),
    ...(lastError && { lastError: lastError.message }),
    fights: Object.fromEntries(Object.entries(readState(live).fights).map(([key, times]) => [key, times.length])),
  };
}

function written(paths: readonly Path[]): readonly string[] {
  return paths.filter((path) => !isState(path)).map(writePath);
}

/** An object that could not be asked about is unknown, one that the server refuses has failed. */
function statusOf({ evaluated: { wanted }, judged }: Preview, lastError: LastError | undefined): ObjectStatus {
  if (wanted.kind === "excluded") return "Excluded";
  if (wanted.kind === "held" || judged === undefined) return "Held";
  switch (judged.verdict.kind) {
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
    case "in-sync":
      return "InSync";
    case "apply":
    case "wait":
    case "not-there":
      if (lastError === undefined) return "Pending";
      return lastError.isPermanent ? "Failed" : "Unknown";
  }
}
