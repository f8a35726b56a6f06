// Reads the settings of KubeVirt and the HyperConverged that affect drains, with KubeVirt's defaults, and live
// migrations.

import type { Json, KubeObject } from "@virt/api";
import { asList, asNumber, asText, at, type InformerSpec, member, readBytes } from "@virt/objects";
import { keepConditions, keepMembers, shortTexts } from "../informers.ts";

/** The settings of KubeVirt that affect live migration and placement. */
export type VirtSettings = {
  /** The default eviction strategy of the cluster. `None` if KubeVirt sets none. Undefined if unknown. */
  readonly evictionStrategy: string | undefined;
  readonly migrationsPerCluster: number;
  readonly migrationsPerNode: number;
  /** The migration timeout, in seconds per GiB. */
  readonly timeoutPerGiB: number;
  /** The bandwidth limit in bytes per second. 0 means no limit. */
  readonly bandwidth: number;
  /** Guest memory in percent of the memory request. */
  readonly memoryOvercommit: number;
};

/** The KubeVirt resource, with the settings that `readVirtSettings` needs and its health. */
export const kubeVirtInformer: InformerSpec = {
  apiVersion: "kubevirt.io/v1",
  kind: "KubeVirt",
  projection: keepMembers(
    ["spec", "configuration", "evictionStrategy"],
    ["spec", "configuration", "migrations"],
    ["spec", "configuration", "developerConfiguration", "memoryOvercommit"],
    ...keepConditions(["Available", "Degraded"], ["type", "status", "reason", "message"]),
  ),
};

/** Reads the settings from the KubeVirt object if possible, because it also includes JSON patches set in the HyperConverged. */
export function readVirtSettings(kubevirt: KubeObject | undefined, hco: KubeObject | undefined): VirtSettings {
  const configuration = at(kubevirt, "spec", "configuration");
  if (kubevirt !== undefined) {
    const overcommit = at(configuration, "developerConfiguration", "memoryOvercommit");
    const strategy = asText(at(configuration, "evictionStrategy")) ?? "None";
    return settingsOf(strategy, at(configuration, "migrations"), overcommit);
  }
  const isOld = hco?.apiVersion.endsWith("/v1beta1") === true;
  const values = isOld ? at(hco, "spec") : at(hco, "spec", "virtualization");
  const overcommit = at(values, "higherWorkloadDensity", "memoryOvercommitPercentage");
  return settingsOf(asText(at(values, "evictionStrategy")), at(values, "liveMigrationConfig"), overcommit);
}

function settingsOf(
  evictionStrategy: string | undefined,
  migrations: Json | undefined,
  overcommit: Json | undefined,
): VirtSettings {
  return {
    evictionStrategy,
    migrationsPerCluster: countOr(at(migrations, "parallelMigrationsPerCluster"), 5),
    migrationsPerNode: countOr(at(migrations, "parallelOutboundMigrationsPerNode"), 2),
    timeoutPerGiB: countOr(at(migrations, "completionTimeoutPerGiB"), 150),
    bandwidth: Math.trunc(readBytes(at(migrations, "bandwidthPerMigration")) ?? 0),
    memoryOvercommit: countOr(overcommit, 100),
  };
}

// KubeVirt rejects values below 1, or replaces them with its default.
function countOr(value: Json | undefined, otherwise: number): number {
  const count = asNumber(value) ?? 0;
  return Number.isInteger(count) && count >= 1 && count <= 1e9 ? count : otherwise;
}

/** The progress of a live migration, as KubeVirt reports it. */
export type MigrationFact = {
  readonly namespace: string;
  readonly name: string;
  readonly vm: string;
  /** Empty until KubeVirt processes the migration. */
  readonly phase: string;
  readonly created: string;
  /** When the search for a target node started, in RFC 3339 format. If it has not started, the creation time. */
  readonly searched: string;
  /** The node that is being drained, or undefined if the migration has another cause. */
  readonly evacuatedNode: string | undefined;
  readonly hasTarget: boolean;
  readonly hold: MigrationHold | undefined;
  readonly failureReason: string;
};

/** Why KubeVirt does not start a pending migration. */
export type MigrationHold = "quota" | "backup" | "utility volume";

const holds: readonly (readonly [string, MigrationHold])[] = [
  ["migrationRejectedByResourceQuota", "quota"],
  ["migrationBlockedByBackup", "backup"],
  ["migrationBlockedByUtilityVolumes", "utility volume"],
];

const holdConditions: readonly string[] = holds.map(([type]) => type);

/** The size limit for a migration's status. Real ones are far smaller: about 10 phases, and an error of 1 or 2 lines. */
const mostReportBytes = 8_000;

/** All live migrations, reduced to what `readMigrationFact` needs. */
export const migrationInformer: InformerSpec = {
  apiVersion: "kubevirt.io/v1",
  kind: "VirtualMachineInstanceMigration",
  projection: {
    keep: "members",
    members: [
      ["metadata", "name"],
      ["metadata", "namespace"],
      ["metadata", "creationTimestamp"],
      ...shortTexts(
        ["metadata", "annotations", "kubevirt.io/evacuationMigration"],
        ["spec", "vmiName"],
        ["status", "phase"],
        ["status", "migrationState", "startTimestamp"],
        ...keepConditions(holdConditions, ["type", "status"]),
      ),
      ["status", "migrationState", "failureReason", { atMost: mostReportBytes }],
      ["status", "phaseTransitionTimestamps", { atMost: mostReportBytes }],
    ],
  },
};

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
