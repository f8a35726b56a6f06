// How far a node is on its way to what its pool aims at, from its annotations and its MachineConfigNode.

import type { NodeRolloutPhase } from "@virt/api";
import type { NodeFact } from "../nodes.ts";
import { type MachineConfigNodeFact, updateSteps } from "./machine-config-nodes.ts";

/**
 * Returns the phase of a node; the first that applies. `target` is the rendered configuration that the pool's spec names. A node may still
 * take an earlier target: the operator gives a cordoned node no other, so it completes that one first.
 */
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

// The daemon first asks for the uncordon and waits for it. Only then it sets its current configuration and Done. Checked against
// `completeUpdate` in pkg/daemon/daemon.go of openshift/machine-config-operator at 7ff337a.
function isUncordonAsked({ desiredDrain, desiredConfig }: NodeFact): boolean {
  return desiredDrain === `uncordon-${desiredConfig}`;
}

/** The daemon also becomes degraded after an hour of draining and ten minutes without an uncordon. The causes of these say more. */
const waitFailures = ["failed to drain node", "failed to uncordon node"];

function isDegraded(node: NodeFact, report: MachineConfigNodeFact | undefined): boolean {
  const isReported = currentReport(node, report)?.conditions.NodeDegraded?.status === "True";
  const isFailed = node.state === "Degraded" || node.state === "Unreconcilable" || isReported;
  const reason = degradedReason(node, report);
  return isFailed && !waitFailures.some((failure) => reason.includes(failure));
}

/** Why a node is degraded, in the daemon's words; empty where it does not tell. */
export function degradedReason(node: NodeFact, report: MachineConfigNodeFact | undefined): string {
  return node.reason || (currentReport(node, report)?.conditions.NodeDegraded?.message ?? "");
}

/** Undefined where it speaks of an earlier update. */
function currentReport(
  { desiredConfig }: NodeFact,
  report: MachineConfigNodeFact | undefined,
): MachineConfigNodeFact | undefined {
  return report?.desiredConfig === desiredConfig ? report : undefined;
}

/** Which step the daemon is at; undefined where it does not tell. */
export function stepOfNode(node: NodeFact, report: MachineConfigNodeFact | undefined): string | undefined {
  const conditions = currentReport(node, report)?.conditions ?? {};
  return updateSteps.find((step) => conditions[step]?.status === "Unknown");
}

/** At work, and not yet back among the others. */
export function isInHand(phase: NodeRolloutPhase): boolean {
  return phase === "Draining" || phase === "Applying" || phase === "Rebooting" || phase === "Uncordoning";
}
