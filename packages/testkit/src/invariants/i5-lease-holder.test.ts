import { expect, test } from "vitest";
import { AuditLogBuilder, account } from "../testing/audit-log-builder.ts";
import { readAuditedRequests } from "./audited-requests.ts";
import { buildHistory } from "./history.ts";
import { writesWithoutLease } from "./i5-lease-holder.ts";

const violationsOf = (log: AuditLogBuilder) =>
  writesWithoutLease(buildHistory(readAuditedRequests(log.log), { accounts: [account] })).map(({ message }) => message);

const by = (identity: string) => ({ userAgent: `virt-operator/v0.1.0 (advisor,platform; ${identity})` });

const holding = [
  { reason: "the holder writes", log: new AuditLogBuilder().renewLease("one").applyTarget() },
  {
    reason: "the holder writes at the end of its lease",
    log: new AuditLogBuilder().renewLease("one").advance(15_000).applyTarget(),
  },
  {
    reason: "a renewal extends the lease",
    log: new AuditLogBuilder().renewLease("one").advance(14_000).renewLease("one").advance(14_000).applyTarget(),
  },
  {
    reason: "the new holder writes",
    log: new AuditLogBuilder().renewLease("one").renewLease("two").applyTarget(by("two")),
  },
  { reason: "a run without leader election", log: new AuditLogBuilder().applyTarget() },
  {
    reason: "another client's writes",
    log: new AuditLogBuilder().renewLease("one").applyTarget({ user: { username: "ann" } }),
  },
  {
    reason: "reads and dry runs",
    log: new AuditLogBuilder().renewLease("two").readConfig().applyTarget({ query: "?dryRun=All" }),
  },
  {
    reason: "a user agent without parentheses is the identity",
    log: new AuditLogBuilder().renewLease("me").applyTarget({ userAgent: "me" }),
  },
  {
    reason: "access reviews",
    log: new AuditLogBuilder()
      .renewLease("two")
      .request({ verb: "create", objectRef: { apiGroup: "authentication.k8s.io", resource: "tokenreviews" } }),
  },
];

test.each(holding)("holds: $reason", ({ log }) => {
  expect(violationsOf(log)).toEqual([]);
});

const breaking = [
  {
    reason: "the lease has expired",
    log: new AuditLogBuilder().renewLease("one").advance(15_001).applyTarget(),
    why: "the lease of one had expired",
  },
  {
    reason: "another process took over",
    log: new AuditLogBuilder().renewLease("one").advance(16_000).renewLease("two").applyTarget(),
    why: 'the lease is held by "two", not by one',
  },
  {
    reason: "the lease was released",
    log: new AuditLogBuilder().renewLease("one").renewLease("", 1).applyTarget(),
    why: 'the lease is held by "", not by one',
  },
  {
    reason: "the writer never held the lease",
    log: new AuditLogBuilder().renewLease("two").applyTarget(),
    why: 'the lease is held by "two", not by one',
  },
  {
    reason: "a status is written without the lease",
    log: new AuditLogBuilder().renewLease("two").editSpec({}).writeStatus({ phase: "Drafting" }),
    why: 'the lease is held by "two", not by one',
  },
];

test.each(breaking)("broken: $reason", ({ log, why }) => {
  expect(violationsOf(log)).toEqual([expect.stringMatching(new RegExp(`: ${why}$`))]);
});
