// The conditions that mark something a person should know beside the phase: they stay, once they were ever set.

import type { SideCondition } from "@virt/api";
import { texts } from "../texts.ts";
import type { Saying } from "./phase.ts";

const saying = (type: SideCondition, status: "True" | "False", reason: string, message: string): Saying => ({
  type,
  status,
  reason,
  message,
});

export const inputs = {
  changed: (text: string) =>
    saying("InputDependencyDrift", "True", "InputChanged", `Input dependency changed: ${text}`),
  resolved: saying(
    "InputDependencyDrift",
    "False",
    "DriftResolved",
    "Input dependency drift resolved - external changes reverted",
  ),
  acknowledged: saying("InputDependencyDrift", "False", "Acknowledged", "User acknowledged input dependency change"),
} as const;

export const staleness = {
  found: saying("PlanStale", "True", "TargetsModified", texts.stale),
  acknowledged: saying("PlanStale", "False", "Acknowledged", "User approved the regenerated plan"),
  resolved: saying("PlanStale", "False", "Resolved", "Targets are in the desired state"),
} as const;

export const upgrades = {
  available: (from: string, to: string) =>
    saying(
      "UpgradeAvailable",
      "True",
      "LogicChanged",
      `Operator upgraded from ${from} to ${to} with profile logic changes. Regenerate plan (action=DryRun) to review proposed changes.`,
    ),
  unchanged: saying("UpgradeAvailable", "False", "NoLogicChange", "Operator upgraded but profile logic unchanged"),
  aligned: saying(
    "UpgradeAvailable",
    "False",
    "ManuallyAligned",
    "Cluster manually aligned with new operator logic - upgrade no longer needed",
  ),
  applied: saying("UpgradeAvailable", "False", "Applied", "Upgrade changes applied"),
} as const;
