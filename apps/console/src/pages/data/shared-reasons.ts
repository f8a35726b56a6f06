// Finds reasons that many assets share, to show them once instead of in every row.

import type { AssetLine } from "./report.ts";

export type SharedReason = {
  /** The status of the assets, which determines the action that the page offers. */
  readonly status: string;
  readonly why: string;
  readonly assets: number;
};

const fewestAssets = 3;

/** Returns the reasons of assets that are not applied, most frequent first. */
export function sharedReasons(rows: readonly AssetLine[]): readonly SharedReason[] {
  const left = rows.filter(({ state }) => state === "Unmanaged" || state === "Not applicable");
  return [...Map.groupBy(left, reasonKey).values()]
    .filter((group) => group.length >= fewestAssets)
    .flatMap((group) => {
      const [first] = group;
      return first === undefined ? [] : [{ status: first.status, why: first.why, assets: group.length }];
    })
    .toSorted((one, other) => other.assets - one.assets);
}

export function isShared({ status, why }: AssetLine, shared: readonly SharedReason[]): boolean {
  return shared.some((reason) => reason.status === status && reason.why === why);
}

function reasonKey({ status, why }: AssetLine): string {
  return JSON.stringify([status, why]);
}
