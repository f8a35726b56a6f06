// The informers that a rollout needs in addition to those of the impact.

import { hcoInformers } from "@virt/cluster";
import type { InformerSpec, ProjectionMember } from "@virt/objects";
import { impactInformers, shortTexts } from "../informers.ts";
import { keptConditions } from "./machine-config-nodes.ts";
import { holdConditions } from "./migrations.ts";

const conditionParts = (among: readonly string[], parts: readonly string[]): readonly ProjectionMember[] =>
  parts.map((part) => ["status", "conditions", { among, key: "type" }, part]);

export const machineConfigNodeInformer: InformerSpec = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigNode",
  projection: {
    keep: "members",
    members: [
      ["metadata", "name"],
      ["spec", "configVersion", "desired"],
      ...conditionParts(keptConditions, ["type", "status", "message", "lastTransitionTime"]),
    ],
  },
};

/** Ample: a migration has about 10 phases, and an error of 1 or 2 lines. */
const mostReportBytes = 8_000;

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
        ...conditionParts(holdConditions, ["type", "status"]),
      ),
      ["status", "migrationState", "failureReason", { atMost: mostReportBytes }],
      ["status", "phaseTransitionTimestamps", { atMost: mostReportBytes }],
    ],
  },
};

const health: InformerSpec["projection"] = {
  keep: "members",
  members: [
    ["metadata", "name"],
    ["metadata", "namespace"],
    ["status", "conditions"],
  ],
};

export const deschedulerHealthInformer: InformerSpec = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  projection: health,
};

/** One informer per API version. The older one is needed only if the newer one is not served. */
export const hcoHealthInformers: readonly InformerSpec[] = hcoInformers("", health);

export const rolloutInformers: readonly InformerSpec[] = [
  ...impactInformers,
  machineConfigNodeInformer,
  migrationInformer,
  deschedulerHealthInformer,
  ...hcoHealthInformers,
];
