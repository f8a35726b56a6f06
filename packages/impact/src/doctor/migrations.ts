// What is known of migrations (VirtualMachineInstanceMigrations): which are open, which failed, what holds them.

import type { KubeObject } from "@virt/api";
import { asList, asText, at, compareUtf8, member, readTime } from "@virt/engine";

/** What is kept of a migration. */
export type MigrationFact = {
  readonly namespace: string;
  readonly name: string;
  readonly vm: string;
  /** Empty while nobody has taken it up. */
  readonly phase: string;
  /** RFC 3339 */
  readonly created: string;
  /** RFC 3339: since when a target is looked for; its creation where it does not tell. */
  readonly searched: string;
  /** The node that is drained and for which it was made; undefined: it was made for another reason. */
  readonly evacuatedNode: string | undefined;
  /** Whether a target was ever found. */
  readonly hasTarget: boolean;
  readonly hold: MigrationHold | undefined;
  readonly failureReason: string;
};

/** What keeps a migration from being started. */
export type MigrationHold = "quota" | "backup" | "utility volume";

const holds: readonly (readonly [string, MigrationHold])[] = [
  ["migrationRejectedByResourceQuota", "quota"],
  ["migrationBlockedByBackup", "backup"],
  ["migrationBlockedByUtilityVolumes", "utility volume"],
];

/** Conditions that say what holds a migration. */
export const holdConditions: readonly string[] = holds.map(([type]) => type);

/** Phases before a target is found. */
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

/** Not ended. */
export function isOpen({ phase }: MigrationFact): boolean {
  return phase !== "Succeeded" && phase !== "Failed";
}

/** Open and given one of the places that a cluster has for migrations. */
export function isUnderWay(migration: MigrationFact): boolean {
  return isOpen(migration) && migration.phase !== "" && migration.phase !== "Pending";
}

/** The migrations of each VM by `namespace/name`, the oldest first. */
export function migrationsByVm(migrations: readonly MigrationFact[]): ReadonlyMap<string, readonly MigrationFact[]> {
  const inOrder = migrations.toSorted(
    (left, right) => compareUtf8(left.created, right.created) || compareUtf8(left.name, right.name),
  );
  return Map.groupBy(inOrder, ({ namespace, vm }) => `${namespace}/${vm}`);
}

/** How a VM's evacuation stands, from its migrations in the order of their creation. */
export type EvacuationProgress = {
  readonly open: MigrationFact | undefined;
  /** How many evacuations in a row have failed, up to the last that ended. */
  readonly failures: number;
  readonly failureReason: string;
  /** The present attempt has no target, and those right before it had none either. */
  readonly isWithoutTarget: boolean;
  /** Milliseconds: since when the first of these looks for one; 0 where that is not known. */
  readonly searchedSince: number;
};

/** Of a VM that was asked to leave its node. */
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
