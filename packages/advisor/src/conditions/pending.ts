// The status of a new config that the advisor cannot process yet. The config stays in Pending, and the status shows
// why.

import type { Status, VirtPlatformConfig } from "@virt/api";
import { conditionsForPhase } from "./phase.ts";
import { type ConditionTimes, writeConditions } from "./status-conditions.ts";
import { conditionsForTools } from "./tool.ts";

/** Reports whether a managed config has no phase yet. */
export function isSilent({ spec, status }: Pick<VirtPlatformConfig, "spec" | "status">): boolean {
  return spec.action !== "Ignore" && status?.phase === undefined;
}

/** Returns the first status for a config that cannot be processed because of a retryable error. */
export function pendingStatus(message: string, at: ConditionTimes): Status {
  const inputs = [
    ...conditionsForPhase("Pending", message),
    ...conditionsForTools({ phase: "Pending", message, isWithheld: false, retrying: message }),
  ];
  return { phase: "Pending", observedGeneration: at.generation, conditions: writeConditions({}, inputs, at) };
}
