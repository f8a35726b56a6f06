// What tests use of the invariant checker.

export { checkInvariants, type Judgement } from "./check-invariants.ts";
export type { Scope } from "./history.ts";
export type { InvariantName, Violation } from "./violation.ts";
export type { WriteCounts } from "./write-summary.ts";
