// Checks the audit log of a run against all invariants and counts writes.

import type { AuditEvent } from "../server/audit.ts";
import {
  type AuditedRequest,
  describeObject,
  isApply,
  isEffectiveWrite,
  readAuditedRequests,
} from "./audited-requests.ts";
import { buildHistory, type History, type HistoryScope, type Violation } from "./history.ts";
import { writesWithoutLease } from "./i5-lease-holder.ts";
import { unfoundedFailures } from "./i7-unfounded-failures.ts";
import { inconsistentStatuses, unapprovedExecutions } from "./own-status.ts";
import { ignoredWrites, unapprovedWrites, unguardedDeletes, unreviewedWrites } from "./target-writes.ts";

const invariants: readonly ((history: History) => readonly Violation[])[] = [
  unapprovedWrites,
  unapprovedExecutions,
  unreviewedWrites,
  unguardedDeletes,
  inconsistentStatuses,
  writesWithoutLease,
  ignoredWrites,
  unfoundedFailures,
];

/** All violations, and the counts of writes by object. */
export type InvariantReport = {
  readonly violations: readonly Violation[];
  readonly writes: Readonly<Record<string, WriteCounts>>;
};

/** Requires the complete log, because invariants compare with earlier versions. */
export function checkInvariants(log: readonly AuditEvent[], scope: HistoryScope): InvariantReport {
  const requests = readAuditedRequests(log);
  const history = buildHistory(requests, scope);
  return {
    violations: invariants.flatMap((check) => check(history)),
    writes: summarizeWrites(requests, scope.accounts),
  };
}

/** The number of effective writes to an object by kind of write. */
export type WriteCounts = {
  readonly creates: number;
  /** Includes no-op applies. */
  readonly applies: number;
  readonly updates: number;
  readonly deletes: number;
};

const none: WriteCounts = { creates: 0, applies: 0, updates: 0, deletes: 0 };

/** Keys are objects with subresource, such as `configmaps/default/one`. */
function summarizeWrites(
  requests: readonly AuditedRequest[],
  accounts: readonly string[],
): Readonly<Record<string, WriteCounts>> {
  const summary: Record<string, WriteCounts> = {};
  for (const write of requests) {
    if (!accounts.includes(write.account) || !isEffectiveWrite(write)) continue;
    const kind = kindOf(write);
    const counts = summary[describeObject(write)] ?? none;
    summary[describeObject(write)] = { ...counts, [kind]: counts[kind] + 1 };
  }
  return summary;
}

function kindOf(write: AuditedRequest): keyof WriteCounts {
  if (write.verb === "create") return "creates";
  if (write.verb.startsWith("delete")) return "deletes";
  return isApply(write) ? "applies" : "updates";
}
