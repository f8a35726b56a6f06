// What is followed while nodes change, beside what shows the impact: reports of daemons, migrations, and how operators are.

import type { InformerSpec, ProjectionMember } from "@virt/engine";
import { hcoInformers } from "@virt/facts";
import { impactInformers, shortTexts } from "../informers.ts";
import { keptConditions } from "./machine-config-nodes.ts";
import { holdConditions } from "./migrations.ts";

const conditionParts = (among: readonly string[], parts: readonly string[]): readonly ProjectionMember[] =>
  parts.map((part) => ["status", "conditions", { among, key: "type" }, part]);

/** How far the daemon of each node is. */
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

/** A migration has about ten phases, and an error of one or two lines. */
const mostReportBytes = 8_000;

/** Migrations of VMs. */
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

/** How the descheduler is. */
export const deschedulerHealthInformer: InformerSpec = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  projection: health,
};

/** How OpenShift Virtualization is, for each version: that of the older one is wanted only where the newer is not served. */
export const hcoHealthInformers: readonly InformerSpec[] = hcoInformers("", health);

/** All of them, with what shows the impact. */
export const rolloutInformers: readonly InformerSpec[] = [
  ...impactInformers,
  machineConfigNodeInformer,
  migrationInformer,
  deschedulerHealthInformer,
  ...hcoHealthInformers,
];
