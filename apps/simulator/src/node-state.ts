// Reads the update state of a node from its object, and writes it as the Machine Config Daemon does.

import { isNodeReady } from "@virt/cluster";
import { type NodePhase, type RolloutNode } from "@virt/impact";
import { asText, at, type JsonMap, type KubeObject } from "@virt/objects";
import { conditionStatus } from "./cluster-state.ts";

/** Reads the update state. A node that has not joined has no configuration yet. */
export function readNode(node: KubeObject): RolloutNode {
  const { name, labels = {}, annotations = {} } = node.metadata;
  const current = annotations[currentConfig] ?? "";
  const zone = labels["topology.kubernetes.io/zone"];
  const created = asText(at(node, "metadata", "creationTimestamp"));
  const reason = annotations[nodeReason];
  return {
    name,
    current,
    desired: annotations[desiredConfig] ?? current,
    phase: phaseOf(node),
    isReady: isNodeReady(node),
    isCordoned: at(node, "spec", "unschedulable") === true,
    ...(zone !== undefined && { zone }),
    ...(created !== undefined && { created }),
    ...(reason ? { reason } : {}),
  };
}

export function hasJoined(node: KubeObject): boolean {
  return node.metadata.annotations?.[currentConfig] !== undefined;
}

/** Reports whether the kubelet is ready. Ignores disk pressure, because it is unrelated to reboots. */
export function isReady(node: KubeObject): boolean {
  return conditionStatus(node, "Ready") === "True";
}

function phaseOf(node: KubeObject): NodePhase {
  const state = node.metadata.annotations?.[nodeState];
  if (state === "Degraded" || state === "Unreconcilable") return "Degraded";
  return state === "Working" ? workOf(node) : "Updated";
}

/** Returns the current step, even if the node is degraded. */
export function workOf(node: KubeObject): "Draining" | "Applying" | "Rebooting" | "Uncordoning" {
  const annotations = node.metadata.annotations ?? {};
  if (annotations[desiredDrain] === `uncordon-${annotations[desiredConfig] ?? ""}`) return "Uncordoning";
  if (annotations[postConfigAction] === "Rebooting") return "Rebooting";
  return isDrainAsked(node) && annotations[desiredDrain]?.startsWith("drain-") === true ? "Draining" : "Applying";
}

/** Reports whether the daemon has requested a drain that is not complete. */
export function isDrainAsked({ metadata: { annotations = {} } }: KubeObject): boolean {
  return annotations[desiredDrain] !== undefined && annotations[desiredDrain] !== annotations[lastAppliedDrain];
}

/** Reports whether the daemon is waiting for an uncordon. */
export function isUncordonAsked(node: KubeObject): boolean {
  return isDrainAsked(node) && node.metadata.annotations?.[desiredDrain]?.startsWith("uncordon-") === true;
}

/** Matches the error with which the daemon marks a node Unreconcilable. */
const cannotReconcile = /can't reconcile/;

/** Returns the fields that the daemon writes. The kubelet writes readiness, and the operator the desired configuration. */
export function daemonFields({ current, desired, phase, isCordoned, reason = "" }: RolloutNode): JsonMap {
  const drain = { [desiredDrain]: `drain-${desired}` };
  const drainAnnotations = {
    Updated: { [desiredDrain]: `uncordon-${current}` },
    Draining: drain,
    Applying: isCordoned ? { ...drain, [lastAppliedDrain]: `drain-${desired}` } : {},
    Rebooting: {},
    Uncordoning: { [desiredDrain]: `uncordon-${desired}` },
    Degraded: {},
  }[phase];
  const states = {
    Updated: "Done",
    Draining: "Working",
    Applying: "Working",
    Rebooting: "Working",
    Uncordoning: "Working",
    Degraded: cannotReconcile.test(reason) ? "Unreconcilable" : "Degraded",
  };
  const annotations = {
    [currentConfig]: current,
    [nodeState]: states[phase],
    [nodeReason]: phase === "Degraded" ? reason : "",
    ...(phase !== "Degraded" && { [postConfigAction]: phase === "Rebooting" ? "Rebooting" : "" }),
    ...drainAnnotations,
  };
  return { metadata: { annotations }, ...(phase === "Draining" && { spec: { unschedulable: true } }) };
}

export function uncordonFields({ metadata: { annotations = {} } }: KubeObject): JsonMap {
  const done = { [lastAppliedDrain]: annotations[desiredDrain] ?? "" };
  return { metadata: { annotations: done }, spec: { unschedulable: null } };
}

export function joinFields(config: string): JsonMap {
  const annotations = {
    [currentConfig]: config,
    [desiredConfig]: config,
    [nodeState]: "Done",
    [nodeReason]: "",
    [postConfigAction]: "",
    [desiredDrain]: `uncordon-${config}`,
    [lastAppliedDrain]: `uncordon-${config}`,
  };
  return { metadata: { annotations } };
}

const prefix = "machineconfiguration.openshift.io";

const currentConfig = `${prefix}/currentConfig`;
export const desiredConfig = `${prefix}/desiredConfig`;
const nodeState = `${prefix}/state`;
const nodeReason = `${prefix}/reason`;
export const desiredDrain = `${prefix}/desiredDrain`;
export const lastAppliedDrain = `${prefix}/lastAppliedDrain`;
const postConfigAction = `${prefix}/post-config-action`;
export const nameSuffix = `${prefix}/mc-name-suffix`;
export const generatedBy = `${prefix}/generated-by-controller-version`;
export const machineConfigApi = `${prefix}/v1`;
