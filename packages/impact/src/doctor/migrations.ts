// Follows the migrations of a VM: open and failed ones, and the search for a target.

import type { MigrationFact } from "@virt/cluster";
import { compareUtf8, readTime } from "@virt/objects";

export function isOpen({ phase }: MigrationFact): boolean {
  return phase !== "Succeeded" && phase !== "Failed";
}

/** Reports whether the migration uses one of the cluster's parallel migration slots. */
export function isUnderWay(migration: MigrationFact): boolean {
  return isOpen(migration) && migration.phase !== "" && migration.phase !== "Pending";
}

/** Returns the migrations of each VM by `namespace/name`, oldest first. */
export function migrationsByVm(migrations: readonly MigrationFact[]): ReadonlyMap<string, readonly MigrationFact[]> {
  const inOrder = migrations.toSorted(
    (left, right) => compareUtf8(left.created, right.created) || compareUtf8(left.name, right.name),
  );
  return Map.groupBy(inOrder, ({ namespace, vm }) => `${namespace}/${vm}`);
}

export type EvacuationProgress = {
  readonly open: MigrationFact | undefined;
  readonly failures: number;
  readonly failureReason: string;
  /** True if the current or last attempt has not found a target. */
  readonly isWithoutTarget: boolean;
  /** Milliseconds: the start of the first of several attempts in a row without a target. 0 if unknown. */
  readonly searchedSince: number;
};

/** Returns the evacuation progress of a VM. `migrations` must start with the oldest. */
export function evacuationOf(migrations: readonly MigrationFact[]): EvacuationProgress {
  const evacuations = migrations.filter(({ evacuatedNode }) => evacuatedNode !== undefined);
  const ended = evacuations.filter((migration) => !isOpen(migration));
  const lastSuccess = ended.findLastIndex(({ phase }) => phase === "Succeeded");
  const failed = ended.slice(lastSuccess + 1);
  const open = migrations.findLast(isOpen);
  const isLastWithoutTarget = failed.length > 0 && failed.at(-1)?.hasTarget === false;
  const isSearching = open?.phase === "Scheduling" && !open.hasTarget;
  const isBetween = isLastWithoutTarget && (open === undefined || !isUnderWay(open));
  const attempts = [...failed, ...(open !== undefined && isSearching ? [open] : [])];
  const inARow = attempts.slice(attempts.findLastIndex(({ hasTarget }) => hasTarget) + 1);
  return {
    open,
    failures: failed.length,
    failureReason: failed.at(-1)?.failureReason ?? "",
    isWithoutTarget: isSearching || isBetween,
    searchedSince: readTime(inARow[0]?.searched ?? "") ?? 0,
  };
}
