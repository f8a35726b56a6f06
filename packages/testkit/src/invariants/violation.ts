// What an invariant says when it does not hold.

import { type Audited, objectOf } from "./audited.ts";

export type InvariantName = "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "I7";

export type Violation = {
  readonly invariant: InvariantName;
  readonly message: string;
  /** RFC 3339: when the guilty request came in, to be found again in the log. */
  readonly at: string;
};

/** The message starts with the request that is to blame. */
export function violation(invariant: InvariantName, guilty: Audited, why: string): Violation {
  const at = new Date(guilty.receivedMs).toISOString();
  return { invariant, message: `${guilty.verb} ${objectOf(guilty)}: ${why}`, at };
}
