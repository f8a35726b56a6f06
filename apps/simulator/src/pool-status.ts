// Computes the status of a MachineConfigPool during a rollout, as the Machine Config Operator does.

import { isUnavailable, isUpdated, type RolloutNode, type RolloutPool } from "@virt/impact";

export type PoolCondition = {
  readonly type: "Updated" | "Updating" | "Degraded" | "NodeDegraded" | "RenderDegraded";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
};

export type PoolStatus = {
  readonly machineCount: number;
  readonly updatedMachineCount: number;
  readonly readyMachineCount: number;
  readonly unavailableMachineCount: number;
  readonly degradedMachineCount: number;
  readonly conditions: readonly PoolCondition[]; // without timestamps, which are added on write
  readonly isFinished: boolean; // true already before status.configuration is updated
};

/** Computes the status. `renderError` is set if the pool's configuration cannot be rendered. */
export function poolStatus(pool: RolloutPool, nodes: readonly RolloutNode[], renderError?: string): PoolStatus {
  const updated = nodes.filter((node) => isUpdated(node, pool));
  const ready = updated.filter(({ isReady, isCordoned }) => isReady && !isCordoned);
  const unavailable = nodes.filter(isUnavailable);
  const degraded = nodes.filter(({ phase }) => phase === "Degraded");
  const isFinished = ready.length === nodes.length && unavailable.length === 0;
  return {
    machineCount: nodes.length,
    updatedMachineCount: updated.length,
    readyMachineCount: ready.length,
    unavailableMachineCount: unavailable.length,
    degradedMachineCount: degraded.length,
    conditions: [...updateConditions(pool, isFinished), ...degradedConditions(degraded, renderError)],
    isFinished,
  };
}

function updateConditions({ wanted, isPaused }: RolloutPool, isFinished: boolean): readonly PoolCondition[] {
  const target = `MachineConfig ${wanted}`;
  if (isFinished)
    return [condition("Updated", `All nodes are updated with ${target}`), condition("Updating", undefined)];
  if (!isPaused) return [condition("Updated", undefined), condition("Updating", `All nodes are updating to ${target}`)];
  const held = { ...condition("Updating", undefined), message: `Pool is paused; will not update to ${target}` };
  return [condition("Updated", undefined), held];
}

export function failureMessage({ name, reason = "" }: Pick<RolloutNode, "name" | "reason">): string {
  return `Node ${name} upgrade failure. ${reason}`;
}

// Lists each node twice: with the message of its MachineConfigNode, then with its annotation. Checked against
// `calculateStatus` in pkg/controller/node/status.go of openshift/machine-config-operator at 00d4bfc.
function degradedConditions(nodes: readonly RolloutNode[], renderError: string | undefined): readonly PoolCondition[] {
  const reported = [
    ...nodes.map((node) => [node.name, failureMessage(node)]),
    ...nodes.map(({ name, reason }) => [name, reason]),
  ];
  const reports = reported.map(([name, reason]) => `Node ${name} is reporting: ${JSON.stringify(reason ?? "")}`);
  const nodeError = nodes.length > 0 ? reports.join(", ") : undefined;
  const count = nodeError === undefined ? "" : `${nodes.length} nodes are reporting degraded status on sync`;
  const anyError = nodeError ?? (renderError === undefined ? undefined : "");
  return [
    { ...condition("NodeDegraded", nodeError), reason: count },
    condition("RenderDegraded", renderError),
    condition("Degraded", anyError),
  ];
}

function condition(type: PoolCondition["type"], message: string | undefined): PoolCondition {
  return { type, status: message === undefined ? "False" : "True", reason: "", message: message ?? "" };
}
