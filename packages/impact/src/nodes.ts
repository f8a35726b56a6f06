// Reads nodes: their place in a rollout, and the constraints on their VMs.

import type { Json, KubeObject } from "@virt/api";
import { asList, asText, at, entriesOf, isMap, member, readBytes } from "@virt/objects";
import type { NodePhase, RolloutNode } from "./rollout.ts";

export type Taint = { readonly key: string; readonly value: string; readonly effect: string };

export type NodeFact = {
  readonly name: string;
  /** RFC 3339. Undefined if unknown. */
  readonly created: string | undefined;
  /** Without labels of CPU features. */
  readonly labels: Readonly<Record<string, string>>;
  readonly currentConfig: string;
  readonly desiredConfig: string;
  readonly state: string;
  /** The daemon's reason for being degraded, or empty. */
  readonly reason: string;
  /** Request of the daemon, and the last one that the drain controller completed: `drain-…` or `uncordon-…`. */
  readonly desiredDrain: string;
  readonly lastAppliedDrain: string;
  readonly postConfigAction: string;
  readonly hasDesiredImage: boolean;
  readonly isCordoned: boolean;
  readonly isReady: boolean;
  readonly taints: readonly Taint[];
  /** Bytes. Undefined if unknown. */
  readonly allocatableMemory: number | undefined;
};

const prefix = "machineconfiguration.openshift.io/";
/** Prefixes of labels that describe CPU features. */
export const droppedLabels = ["cpu-", "hyperv.", "host-model-", "feature.node.kubernetes.io/"];

/** Reports whether a label describes a CPU feature. Each node has hundreds, and none is kept. */
export function isDroppedLabel(key: string): boolean {
  return droppedLabels.some((start) => key.startsWith(start));
}

/** Reads a Node of any shape. */
export function readNodeFact(node: KubeObject): NodeFact {
  const annotation = (name: string) => asText(at(node, "metadata", "annotations", `${prefix}${name}`)) ?? "";
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

/** Like the Machine Config Operator, treats disk pressure and a missing network as not ready. */
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

export function rolloutNodeOf(node: NodeFact): RolloutNode {
  const zone = node.labels["topology.kubernetes.io/zone"];
  return {
    name: node.name,
    current: node.currentConfig,
    desired: node.desiredConfig === "" ? node.currentConfig : node.desiredConfig,
    phase: phaseOf(node),
    isReady: node.isReady,
    isCordoned: node.isCordoned,
    ...(zone !== undefined && zone !== "" && { zone }),
    ...(node.created !== undefined && { created: node.created }),
  };
}

// The waves do not depend on the step of an update.
function phaseOf({ state }: NodeFact): NodePhase {
  if (state === "Degraded" || state === "Unreconcilable") return "Degraded";
  return state === "Working" || state === "Rebooting" ? "Applying" : "Updated";
}
