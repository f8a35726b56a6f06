// Determines the rollout phase of a node from its annotations and its MachineConfigNode.

import type { NodeRolloutPhase } from "@virt/api";
import { type MachineConfigNodeFact, type NodeFact, updateSteps } from "@virt/cluster";

/** Returns the first phase that applies. A cordoned node first completes the update to an earlier target config. */
export function phaseOfNode(
  node: NodeFact,
  target: string,
  report: MachineConfigNodeFact | undefined,
): NodeRolloutPhase {
  const { currentConfig, desiredConfig, desiredDrain, lastAppliedDrain } = node;
  if (isDegraded(node, report)) return "Degraded";
  if (currentConfig === desiredConfig && node.state === "Done") return desiredConfig === target ? "Done" : "Waiting";
  if (desiredConfig !== target && (currentConfig === "" || desiredConfig === "")) return "Waiting";
  const isDrainOpen = desiredDrain !== lastAppliedDrain;
  if (isUncordonAsked(node) && (isDrainOpen || currentConfig !== desiredConfig)) return "Uncordoning";
  if (
    node.postConfigAction === "Rebooting" ||
    currentReport(node, report)?.conditions.RebootedNode?.status === "Unknown"
  )
    return "Rebooting";
  return isDrainOpen && desiredDrain.startsWith("drain-") ? "Draining" : "Applying";
}

// The daemon waits until the node is uncordoned before it sets Done. See `completeUpdate` in pkg/daemon/daemon.go of
// openshift/machine-config-operator at 7ff337a.
function isUncordonAsked({ desiredDrain, desiredConfig }: NodeFact): boolean {
  return desiredDrain === `uncordon-${desiredConfig}`;
}

/**
 * Errors that the daemon reports after 1 hour of draining, or 10 minutes of waiting to be uncordoned. Other findings
 * explain their causes.
 */
const waitFailures = ["failed to drain node", "failed to uncordon node"];

function isDegraded(node: NodeFact, report: MachineConfigNodeFact | undefined): boolean {
  const isReported = currentReport(node, report)?.conditions.NodeDegraded?.status === "True";
  const isFailed = node.state === "Degraded" || node.state === "Unreconcilable" || isReported;
  const reason = degradedReason(node, report);
  return isFailed && !waitFailures.some((failure) => reason.includes(failure));
}

/** Returns the daemon's reason, or an empty string. */
export function degradedReason(node: NodeFact, report: MachineConfigNodeFact | undefined): string {
  return node.reason || (currentReport(node, report)?.conditions.NodeDegraded?.message ?? "");
}

/** Returns the node's report, or undefined if it is about an earlier update. */
function currentReport(
  { desiredConfig }: NodeFact,
  report: MachineConfigNodeFact | undefined,
): MachineConfigNodeFact | undefined {
  return report?.desiredConfig === desiredConfig ? report : undefined;
}

/** Returns the current step of the daemon, or undefined if unknown. */
export function stepOfNode(node: NodeFact, report: MachineConfigNodeFact | undefined): string | undefined {
  const conditions = currentReport(node, report)?.conditions ?? {};
  return updateSteps.find((step) => conditions[step]?.status === "Unknown");
}

export function isInHand(phase: NodeRolloutPhase): boolean {
  return phase === "Draining" || phase === "Applying" || phase === "Rebooting" || phase === "Uncordoning";
}
