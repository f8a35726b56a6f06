// Judges a run by its audit log: everything that must hold for every write, in every run.

import type { AuditEvent } from "../server/audit.ts";
import { readAudited } from "./audited.ts";
import { type History, historyOf, type Scope } from "./history.ts";
import { unapprovedExecutions } from "./i1-approved-executions.ts";
import { unapprovedWrites } from "./i1-approved-writes.ts";
import { unreviewedWrites } from "./i2-as-reviewed.ts";
import { unguardedDeletes } from "./i3-guarded-deletes.ts";
import { untruthfulStatuses } from "./i4-truthful-status.ts";
import { writesWithoutLease } from "./i5-lease-holder.ts";
import { ignoredWrites } from "./i6-not-ignored.ts";
import { endsByRetryable } from "./i7-retryable.ts";
import type { Violation } from "./violation.ts";
import { summarizeWrites, type WriteCounts } from "./write-summary.ts";

const invariants: readonly ((history: History) => readonly Violation[])[] = [
  unapprovedWrites,
  unapprovedExecutions,
  unreviewedWrites,
  unguardedDeletes,
  untruthfulStatuses,
  writesWithoutLease,
  ignoredWrites,
  endsByRetryable,
];

export type Judgement = {
  /** Empty if all is well. */
  readonly violations: readonly Violation[];
  /** By object, what our accounts wrote. */
  readonly writes: Readonly<Record<string, WriteCounts>>;
};

/** `log` is what `server.audit()` returns: read once, judged as a whole. */
export function checkInvariants(log: readonly AuditEvent[], scope: Scope): Judgement {
  const requests = readAudited(log);
  const history = historyOf(requests, scope);
  return {
    violations: invariants.flatMap((check) => check(history)),
    writes: summarizeWrites(requests, scope.accounts),
  };
}
