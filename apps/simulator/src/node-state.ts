// A node's way through an update, read from its object and written into it as the Machine Config Daemon does.

import { asText, at, type JsonMap, type KubeObject, type NodePhase, type RolloutNode } from "@virt/engine";
import { conditionStatus } from "./conditions.ts";
import { currentConfig, desiredConfig, desiredDrain, lastAppliedDrain, nodeReason, nodeState } from "./marks.ts";

/** Undefined while the node has not joined: nobody has told it yet which configuration it runs. */
export function readNode(node: KubeObject): RolloutNode | undefined {
  const { name, labels = {}, annotations = {} } = node.metadata;
  const current = annotations[currentConfig];
  if (current === undefined) return undefined;
  const zone = labels["topology.kubernetes.io/zone"];
  const created = asText(at(node, "metadata", "creationTimestamp"));
  const reason = annotations[nodeReason];
  return {
    name,
    current,
    desired: annotations[desiredConfig] ?? current,
    phase: phaseOf(node),
    isReady: isReady(node),
    isCordoned: at(node, "spec", "unschedulable") === true,
    ...(zone !== undefined && { zone }),
    ...(created !== undefined && { created }),
    ...(reason ? { reason } : {}),
  };
}

export function isReady(node: KubeObject): boolean {
  return conditionStatus(node, "Ready") === "True";
}

function phaseOf(node: KubeObject): NodePhase {
  const annotations = node.metadata.annotations ?? {};
  if (annotations[nodeState] === "Degraded") return "Degraded";
  return annotations[nodeState] === "Working" ? workOf(node) : "Updated";
}

/** How far the work is, whatever the node calls itself. */
export function workOf(node: KubeObject): "Draining" | "Applying" | "Rebooting" {
  const annotations = node.metadata.annotations ?? {};
  if (annotations[desiredDrain] === undefined || annotations[desiredDrain] !== annotations[lastAppliedDrain])
    return "Draining";
  return isReady(node) ? "Applying" : "Rebooting";
}

/** What the daemon writes; being ready is the kubelet's, and the desired configuration the operator's. */
export function daemonFields({ current, desired, phase, isCordoned, reason = "" }: RolloutNode): JsonMap {
  const drain = { [desiredDrain]: `drain-${desired}` };
  const drained = { ...drain, [lastAppliedDrain]: `drain-${desired}` };
  const uncordoned = { [desiredDrain]: `uncordon-${current}`, [lastAppliedDrain]: `uncordon-${current}` };
  const drains = { Updated: uncordoned, Draining: drain, Applying: drained, Rebooting: drained, Degraded: {} }[phase];
  const states = {
    Updated: "Done",
    Draining: "Working",
    Applying: "Working",
    Rebooting: "Working",
    Degraded: "Degraded",
  };
  const annotations = {
    [currentConfig]: current,
    [nodeState]: states[phase],
    [nodeReason]: phase === "Degraded" ? reason : "",
    ...drains,
  };
  return { metadata: { annotations }, spec: { unschedulable: isCordoned || null } };
}
