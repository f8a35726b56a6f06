// The informers of an impact. Their lists may be long, so they keep only the members that are read.

import { poolInformer } from "@virt/cluster";
import type { InformerSpec, ProjectionMember } from "@virt/objects";
import { droppedLabels } from "./nodes.ts";
import { mostPlacementBytes } from "./placement.ts";
import { mostSelectorBytes } from "./pods.ts";

const annotations = [
  "currentConfig",
  "desiredConfig",
  "state",
  "reason",
  "desiredDrain",
  "lastAppliedDrain",
  "post-config-action",
  "desiredImage",
];
const conditionsOf = (...among: readonly string[]): readonly ProjectionMember[] =>
  ["type", "status", "reason"].map((part) => ["status", "conditions", { among, key: "type" }, part]);

const members = (...kept: readonly ProjectionMember[]): InformerSpec["projection"] => ({
  keep: "members",
  members: [["metadata", "name"], ["metadata", "namespace"], ["metadata", "deletionTimestamp"], ...kept],
});

/** Bounds texts that namespace users write. Real values take a few dozen bytes, but the API server has no limit. */
const shortText = { atMost: 1_000 };
export function shortTexts(...paths: readonly ProjectionMember[]): readonly ProjectionMember[] {
  return paths.map((path) => [...path, shortText]);
}

const ownerParts = (...among: readonly string[]): readonly ProjectionMember[] =>
  ["kind", "name", "controller"].map((part) => ["metadata", "ownerReferences", { among, key: "kind" }, part]);

export const impactNodeInformer: InformerSpec = {
  apiVersion: "v1",
  kind: "Node",
  projection: members(
    ["metadata", "creationTimestamp"],
    ["metadata", "labels", { beginsNot: droppedLabels }],
    ...annotations.map(
      (name): ProjectionMember => ["metadata", "annotations", `machineconfiguration.openshift.io/${name}`],
    ),
    ["spec", "unschedulable"],
    ["spec", "taints"],
    ["status", "allocatable", "memory"],
    ...conditionsOf("Ready", "DiskPressure", "NetworkUnavailable"),
  ),
};

export const disruptionPolicyInformer: InformerSpec = {
  apiVersion: "operator.openshift.io/v1",
  kind: "MachineConfiguration",
  name: "cluster",
  projection: members(["status", "nodeDisruptionPolicyStatus", "clusterPolicies"]),
};

export const kubeVirtInformer: InformerSpec = {
  apiVersion: "kubevirt.io/v1",
  kind: "KubeVirt",
  projection: members(
    ["spec", "configuration", "evictionStrategy"],
    ["spec", "configuration", "migrations"],
    ["spec", "configuration", "developerConfiguration", "memoryOvercommit"],
    ...conditionsOf("Available", "Degraded"),
    ["status", "conditions", { among: ["Available", "Degraded"], key: "type" }, "message"],
  ),
};

export const vmInformer: InformerSpec = {
  apiVersion: "kubevirt.io/v1",
  kind: "VirtualMachineInstance",
  projection: members(
    // Only these owners are known to re-create a VM.
    ...shortTexts(...ownerParts("VirtualMachine", "VirtualMachineInstanceReplicaSet")),
    ["spec", "nodeSelector", { atMost: mostPlacementBytes }],
    [
      "spec",
      "affinity",
      "nodeAffinity",
      "requiredDuringSchedulingIgnoredDuringExecution",
      { atMost: mostPlacementBytes },
    ],
    ["spec", "tolerations", { atMost: mostPlacementBytes }],
    ...shortTexts(
      ["spec", "evictionStrategy"],
      ["spec", "terminationGracePeriodSeconds"],
      ["spec", "domain", "memory", "guest"],
      ["spec", "domain", "resources", "requests", "memory"],
      ...["sockets", "cores", "threads"].map((part): ProjectionMember => ["spec", "domain", "cpu", part]),
      ["status", "phase"],
      ["status", "nodeName"],
      ["status", "evacuationNodeName"],
      ...["completed", "failed", "mode", "startTimestamp", "endTimestamp"].map(
        (part): ProjectionMember => ["status", "migrationState", part],
      ),
      ["status", "memory", "guestCurrent"],
      ["status", "memory", "memoryOverhead"],
      ...conditionsOf("LiveMigratable"),
    ),
  ),
};

export const budgetInformer: InformerSpec = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  projection: members(
    // Older releases of KubeVirt create one for each VM.
    ...shortTexts(...ownerParts("VirtualMachineInstance")),
    ["spec", "selector", { atMost: mostSelectorBytes }],
    ["status", "disruptionsAllowed"],
    ["status", "currentHealthy"],
    ["status", "desiredHealthy"],
  ),
};

export const kubeletConfigInformer: InformerSpec = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "KubeletConfig",
  projection: {
    keep: "members",
    members: [
      ["metadata", "name"],
      ["spec", "machineConfigPoolSelector"],
      ...["type", "status", "message"].map(
        (part): ProjectionMember => [
          "status",
          "conditions",
          { among: ["Accepted", "Failure", "Success"], key: "type" },
          part,
        ],
      ),
    ],
  },
};

export const impactInformers: readonly InformerSpec[] = [
  poolInformer,
  impactNodeInformer,
  disruptionPolicyInformer,
  kubeVirtInformer,
  vmInformer,
  budgetInformer,
  kubeletConfigInformer,
];
