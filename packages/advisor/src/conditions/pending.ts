// The status of a new config that the advisor cannot process yet. It stays in Pending and reports the cause.

import type { Status, VirtPlatformConfig } from "@virt/api";
import { conditionsForPhase } from "./phase.ts";
import { type ConditionTimes, writeConditions } from "./status-conditions.ts";
import { conditionsForTools } from "./tool.ts";

/** Reports whether the config has no phase yet, although it is managed. */
export function isSilent({ spec, status }: Pick<VirtPlatformConfig, "spec" | "status">): boolean {
  return spec.action !== "Ignore" && status?.phase === undefined;
}

/** Returns the first status of a config that a retryable error blocks. */
export function pendingStatus(message: string, at: ConditionTimes): Status {
  const inputs = [
    ...conditionsForPhase("Pending", message),
    ...conditionsForTools({ phase: "Pending", message, isWithheld: false, retrying: message }),
  ];
  return { phase: "Pending", observedGeneration: at.generation, conditions: writeConditions({}, inputs, at) };
}
