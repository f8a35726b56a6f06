// Reads and writes conditions. Once set, a side condition stays in the status.

import { type Condition, type SideCondition, type Status, sideConditions } from "@virt/api";
import { stamp } from "../times.ts";

/** Returns the condition of this type, or undefined. Types are unique in a status. */
export function conditionOf({ conditions = [] }: Status, type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** Reports whether the condition has this value. Returns false if it is missing. */
export function conditionIs(status: Status, type: string, value: Condition["status"]): boolean {
  return conditionOf(status, type)?.status === value;
}

export type ConditionInput = {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
};

export type ConditionTimes = { readonly now: number; readonly generation: number };

export function writeConditions(
  stored: Status,
  inputs: readonly ConditionInput[],
  { now, generation }: ConditionTimes,
): readonly Condition[] {
  return inputs.map((input) => {
    const before = conditionOf(stored, input.type);
    const isSame = before?.status === input.status;
    const lastTransitionTime = isSame ? before.lastTransitionTime : stamp(now);
    return { ...input, lastTransitionTime, observedGeneration: generation };
  });
}

export function keepSideConditions(stored: Status, updates: readonly ConditionInput[]): readonly ConditionInput[] {
  return sideConditions.flatMap((type: SideCondition) => {
    const update = updates.find((input) => input.type === type);
    const before = conditionOf(stored, type);
    if (update !== undefined) return [update];
    if (before === undefined || before.status === "Unknown") return [];
    const { status, reason, message } = before;
    return [{ type, status, reason, message }];
  });
}

const sideCondition = (
  type: SideCondition,
  status: "True" | "False",
  reason: string,
  message: string,
): ConditionInput => ({
  type,
  status,
  reason,
  message,
});

export const inputConditions = {
  changed: (text: string) =>
    sideCondition("InputDependencyDrift", "True", "InputChanged", `Input dependency changed: ${text}`),
  resolved: sideCondition(
    "InputDependencyDrift",
    "False",
    "DriftResolved",
    "Input dependency drift resolved - external changes reverted",
  ),
  acknowledged: sideCondition(
    "InputDependencyDrift",
    "False",
    "Acknowledged",
    "User acknowledged input dependency change",
  ),
} as const;

export const stalenessConditions = {
  found: sideCondition(
    "PlanStale",
    "True",
    "TargetsModified",
    "Plan is stale: target resources have been modified since plan generation. Please regenerate the plan by changing action to DryRun, then review and re-approve.",
  ),
  acknowledged: sideCondition("PlanStale", "False", "Acknowledged", "User approved the regenerated plan"),
  resolved: sideCondition("PlanStale", "False", "Resolved", "Targets are in the desired state"),
} as const;

export const upgradeConditions = {
  available: (from: string, to: string) =>
    sideCondition(
      "UpgradeAvailable",
      "True",
      "LogicChanged",
      `Operator upgraded from ${from} to ${to} with profile logic changes. Regenerate plan (action=DryRun) to review proposed changes.`,
    ),
  unchanged: sideCondition(
    "UpgradeAvailable",
    "False",
    "NoLogicChange",
    "Operator upgraded but profile logic unchanged",
  ),
  aligned: sideCondition(
    "UpgradeAvailable",
    "False",
    "ManuallyAligned",
    "Cluster manually aligned with new operator logic - upgrade no longer needed",
  ),
  applied: sideCondition("UpgradeAvailable", "False", "Applied", "Upgrade changes applied"),
} as const;

/**
 * Sets condition Reconciling for a retryable error. Returns undefined if an error is already shown, because the text
 * may differ with every retry.
 */
export function withRetryingCondition(stored: Status, message: string, at: ConditionTimes): Status | undefined {
  const before = conditionOf(stored, "Reconciling");
  if (before === undefined || before.reason === "Retrying") return undefined;
  const input = { type: "Reconciling", status: "True", reason: "Retrying", message } as const;
  const [written = before] = writeConditions(stored, [input], at);
  return { ...stored, conditions: (stored.conditions ?? []).map((one) => (one.type === written.type ? written : one)) };
}
