// Reads VirtualMachineInstanceMigrations: which are open, which failed, what blocks them.

import type { KubeObject } from "@virt/api";
import { asList, asText, at, compareUtf8, member, readTime } from "@virt/objects";

export type MigrationFact = {
  readonly namespace: string;
  readonly name: string;
  readonly vm: string;
  /** Empty until KubeVirt processes the migration. */
  readonly phase: string;
  readonly created: string;
  /** RFC 3339: start of the search for a target, or else the creation time. */
  readonly searched: string;
  /** The drained node, or undefined if the migration has another cause. */
  readonly evacuatedNode: string | undefined;
  readonly hasTarget: boolean;
  readonly hold: MigrationHold | undefined;
  readonly failureReason: string;
};

export type MigrationHold = "quota" | "backup" | "utility volume";

const holds: readonly (readonly [string, MigrationHold])[] = [
  ["migrationRejectedByResourceQuota", "quota"],
  ["migrationBlockedByBackup", "backup"],
  ["migrationBlockedByUtilityVolumes", "utility volume"],
];

export const holdConditions: readonly string[] = holds.map(([type]) => type);

const early = ["", "Pending", "Scheduling", "Failed"];

/** Reads a VirtualMachineInstanceMigration of any shape. */
export function readMigrationFact(object: KubeObject): MigrationFact {
  const text = (...path: readonly string[]) => asText(at(object, ...path)) ?? "";
  const phase = text("status", "phase");
  const transitions = asList(at(object, "status", "phaseTransitionTimestamps"));
  const passed = transitions.map((each) => asText(member(each, "phase")) ?? "");
  const search = transitions.find((each) => member(each, "phase") === "Scheduling");
  const conditions = asList(at(object, "status", "conditions"));
  const isTrue = (type: string) =>
    conditions.some((condition) => member(condition, "type") === type && member(condition, "status") === "True");
  return {
    namespace: text("metadata", "namespace"),
    name: text("metadata", "name"),
    vm: text("spec", "vmiName"),
    phase,
    created: text("metadata", "creationTimestamp"),
    searched: asText(member(search, "phaseTransitionTimestamp")) ?? text("metadata", "creationTimestamp"),
    evacuatedNode: asText(at(object, "metadata", "annotations", "kubevirt.io/evacuationMigration")),
    hasTarget:
      [phase, ...passed].some((each) => !early.includes(each)) ||
      text("status", "migrationState", "startTimestamp") !== "",
    hold: holds.find(([type]) => isTrue(type))?.[1],
    failureReason: text("status", "migrationState", "failureReason"),
  };
}

export function isOpen({ phase }: MigrationFact): boolean {
  return phase !== "Succeeded" && phase !== "Failed";
}

/** Reports whether the migration uses one of the cluster's parallel migration slots. */
export function isUnderWay(migration: MigrationFact): boolean {
  return isOpen(migration) && migration.phase !== "" && migration.phase !== "Pending";
}

/** Returns the migrations of each VM by `namespace/name`, the oldest first. */
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
  /** True if the current or last attempt has found no target. */
  readonly isWithoutTarget: boolean;
  /** Milliseconds: start of the first attempt in a row without a target. 0 if unknown. */
  readonly searchedSince: number;
};

/** Returns the evacuation progress of a VM. `migrations` must be the oldest first. */
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
