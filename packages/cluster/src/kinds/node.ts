// Reads Nodes and MachineConfigNodes: their progress in a rollout, and the constraints for VMs on them.

import type { Json, KubeObject, NodeRolloutPhase } from "@virt/api";
import {
  asList,
  asText,
  at,
  entriesOf,
  type InformerSpec,
  isMap,
  member,
  type ProjectionMember,
  readBytes,
  readTime,
} from "@virt/objects";
import { keepConditions, keepMembers } from "../informers.ts";

/** A taint of a node. Absent values are empty. */
export type Taint = { readonly key: string; readonly value: string; readonly effect: string };

/** The parts of a node that affect placement, drains and updates. Missing strings are empty. */
export type NodeFact = {
  readonly name: string;
  /** The creation time in RFC 3339 format. Undefined if unknown. */
  readonly created: string | undefined;
  /** The labels, excluding those for CPU features. */
  readonly labels: Readonly<Record<string, string>>;
  readonly currentConfig: string;
  readonly desiredConfig: string;
  readonly state: string;
  readonly reason: string;
  /** The daemon's current request, and the last request that the drain controller completed: `drain-…` or `uncordon-…`. */
  readonly desiredDrain: string;
  readonly lastAppliedDrain: string;
  readonly postConfigAction: string;
  readonly hasDesiredImage: boolean;
  readonly isCordoned: boolean;
  readonly isReady: boolean;
  readonly taints: readonly Taint[];
  /** The allocatable memory in bytes. Undefined if unknown. */
  readonly allocatableMemory: number | undefined;
};

const prefix = "machineconfiguration.openshift.io/";
const droppedLabels = ["cpu-", "hyperv.", "host-model-", "feature.node.kubernetes.io/"];

/** Reports whether a label describes a CPU feature. Nodes have hundreds of these, and informers drop them. */
export function isDroppedLabel(key: string): boolean {
  return droppedLabels.some((start) => key.startsWith(start));
}

/** The annotations to keep. Informers drop all others. */
const annotations = [
  "currentConfig",
  "desiredConfig",
  "state",
  "reason",
  "desiredDrain",
  "lastAppliedDrain",
  "post-config-action",
  "desiredImage",
] as const;

/** All nodes, reduced to what `readNodeFact` needs. */
export const impactNodeInformer: InformerSpec = {
  apiVersion: "v1",
  kind: "Node",
  projection: keepMembers(
    ["metadata", "creationTimestamp"],
    ["metadata", "labels", { beginsNot: droppedLabels }],
    ...annotations.map((name): ProjectionMember => ["metadata", "annotations", `${prefix}${name}`]),
    ["spec", "unschedulable"],
    ["spec", "taints"],
    ["status", "allocatable", "memory"],
    ...keepConditions(["Ready", "DiskPressure", "NetworkUnavailable"]),
  ),
};

/** Reads a Node of any shape. */
export function readNodeFact(node: KubeObject): NodeFact {
  const annotation = (name: (typeof annotations)[number]) =>
    asText(at(node, "metadata", "annotations", `${prefix}${name}`)) ?? "";
  const created = asText(at(node, "metadata", "creationTimestamp"));
  return {
    name: asText(at(node, "metadata", "name")) ?? "",
    created,
    labels: textsOf(at(node, "metadata", "labels"), (key) => !isDroppedLabel(key)),
    currentConfig: annotation("currentConfig"),
    desiredConfig: annotation("desiredConfig"),
    state: annotation("state"),
    reason: annotation("reason"),
    desiredDrain: annotation("desiredDrain"),
    lastAppliedDrain: annotation("lastAppliedDrain"),
    postConfigAction: annotation("post-config-action"),
    hasDesiredImage: annotation("desiredImage") !== "",
    isCordoned: at(node, "spec", "unschedulable") === true,
    isReady: isNodeReady(node),
    taints: asList(at(node, "spec", "taints")).map(readTaint),
    allocatableMemory: readBytes(at(node, "status", "allocatable", "memory")),
  };
}

export function textsOf(map: Json | undefined, isKept: (key: string) => boolean): Readonly<Record<string, string>> {
  if (!isMap(map)) return {};
  const entries = entriesOf(map).flatMap(([key, value]) =>
    typeof value === "string" && isKept(key) ? [[key, value] as const] : [],
  );
  return Object.fromEntries(entries);
}

function readTaint(taint: Json): Taint {
  const text = (key: string) => asText(member(taint, key)) ?? "";
  return { key: text("key"), value: text("value"), effect: text("effect") };
}

/** Treats disk pressure and a missing network as not ready, as the Machine Config Operator does. */
export function isNodeReady(node: KubeObject): boolean {
  const conditions = asList(at(node, "status", "conditions"));
  const statuses = (type: string) =>
    conditions
      .filter((condition) => member(condition, "type") === type)
      .map((condition) => member(condition, "status"));
  const isFalse = (type: string) => statuses(type).every((status) => status === "False");
  const ready = statuses("Ready");
  const isReported = ready.length > 0 && ready.every((status) => status === "True");
  return isReported && isFalse("DiskPressure") && isFalse("NetworkUnavailable");
}

/** The steps of an update, starting with the last one. A step in progress has status Unknown. */
export const updateSteps = [
  "Uncordoned",
  "RebootedNode",
  "AppliedOSImage",
  "AppliedFiles",
  "AppliedFilesAndOS",
  "Drained",
  "Cordoned",
  "UpdatePrepared",
] as const;

const keptConditions = ["NodeDegraded", ...updateSteps] as const;

/** A reported condition. The daemon updates `time` with each write, even if nothing else changes. */
type ReportedCondition = { readonly status: string; readonly message: string; readonly time: string };

/** The update steps that the Machine Config Daemon reports for a node. */
export type MachineConfigNodeFact = {
  readonly name: string;
  readonly desiredConfig: string;
  readonly conditions: Readonly<Partial<Record<(typeof keptConditions)[number], ReportedCondition>>>;
};

/** All MachineConfigNodes. Older OpenShift releases do not serve them. */
export const machineConfigNodeInformer: InformerSpec = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigNode",
  projection: {
    keep: "members",
    members: [
      ["metadata", "name"],
      ["spec", "configVersion", "desired"],
      ...keepConditions(keptConditions, ["type", "status", "message", "lastTransitionTime"]),
    ],
  },
};

const mostMessage = 1024;

/** Reads a MachineConfigNode of any shape. */
export function readMachineConfigNodeFact(object: KubeObject): MachineConfigNodeFact {
  const conditions = asList(at(object, "status", "conditions"));
  const kept = keptConditions.flatMap((type) => {
    const found = conditions.find((condition) => member(condition, "type") === type);
    const text = (key: string) => asText(member(found, key)) ?? "";
    if (found === undefined) return [];
    const [status, message, time] = [text("status"), text("message").slice(0, mostMessage), text("lastTransitionTime")];
    return [[type, { status, message, time }] as const];
  });
  return {
    name: asText(at(object, "metadata", "name")) ?? "",
    desiredConfig: asText(at(object, "spec", "configVersion", "desired")) ?? "",
    conditions: Object.fromEntries(kept),
  };
}

/**
 * Returns the latest possible start of a phase, in milliseconds. The phase may be older, because later writes update
 * the time.
 */
export function phaseStartOf({ conditions }: MachineConfigNodeFact, phase: NodeRolloutPhase): number | undefined {
  const { Cordoned, Drained, RebootedNode } = conditions;
  const isUnderWay = RebootedNode?.status === "Unknown";
  const ofPhase =
    phase === "Draining" ? [Cordoned, Drained] : phase === "Rebooting" && isUnderWay ? [RebootedNode] : [];
  const ofThisUpdate = ofPhase.filter((condition) => condition?.status !== "False");
  const times = ofThisUpdate.flatMap((condition) => readTime(condition?.time ?? "") ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
