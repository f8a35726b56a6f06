// Tracks the migrations of a VM: active and failed ones, and the search for a target node.

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
  /** True if the current or last attempt has not found a target node. */
  readonly isWithoutTarget: boolean;
  /** When the first of the consecutive attempts without a target node started, in milliseconds. 0 if unknown. */
  readonly searchedSince: number;
};

/** Returns a VM's evacuation progress. `migrations` must be sorted with the oldest first. */
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
