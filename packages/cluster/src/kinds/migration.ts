import type { KubeObject } from "@virt/api";
import { asList, asText, at, type InformerSpec, member } from "@virt/objects";
import { keepConditions, shortTexts } from "./kept-members.ts";

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
