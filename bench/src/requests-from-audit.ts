// Extracts API requests by account from the audit log.

import type { AuditEvent } from "@virt/testkit";

export type Window = { readonly account: string; readonly from: Date; readonly until: Date };

/** Counts a long-running request only at its start, because the log also has an entry for its end. */
export function requestsIn(log: readonly AuditEvent[], { account, from, until }: Window): readonly AuditEvent[] {
  const isIn = ({ requestReceivedTimestamp }: AuditEvent) => {
    const at = Date.parse(requestReceivedTimestamp);
    return at >= from.getTime() && at <= until.getTime();
  };
  const isOnce = ({ stage, verb, responseStatus: { code = 0 } = {} }: AuditEvent) =>
    stage === (verb === "watch" && code < 400 ? "ResponseStarted" : "ResponseComplete");
  return log.filter((event) => event.user.username === account && isOnce(event) && isIn(event));
}

export function countByVerb(events: readonly AuditEvent[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verb } of events) counts[verb] = (counts[verb] ?? 0) + 1;
  return counts;
}

export const isUpkeep = ({ verb, requestURI }: AuditEvent): boolean =>
  verb === "watch" || requestURI.includes("/leases");
