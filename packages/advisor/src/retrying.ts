// Says in status that something retryable does not go away; the phase stays.

import type { Status } from "@virt/api";
import { conditionOf } from "./conditions/read.ts";
import { type Moment, writeConditions } from "./conditions/write.ts";

/** Undefined where it is said already: the error's words may change with every try. */
export function retrying(was: Status, message: string, at: Moment): Status | undefined {
  const before = conditionOf(was, "Reconciling");
  if (before === undefined || before.reason === "Retrying") return undefined;
  const saying = { type: "Reconciling", status: "True", reason: "Retrying", message } as const;
  const [said = before] = writeConditions(was, [saying], at);
  return { ...was, conditions: (was.conditions ?? []).map((one) => (one.type === said.type ? said : one)) };
}
