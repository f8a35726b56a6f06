// Looks up a condition of a status.

import type { Condition, Status } from "@virt/api";

export function conditionOf({ conditions = [] }: Status, type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function conditionIs(status: Status, type: string, value: Condition["status"]): boolean {
  return conditionOf(status, type)?.status === value;
}
