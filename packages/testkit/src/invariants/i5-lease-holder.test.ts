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
    reason: "the holder writes until the last moment",
    log: new AuditLogBuilder().renewLease("one").advance(15_000).applyTarget(),
  },
  {
    reason: "a renewal counts again",
    log: new AuditLogBuilder().renewLease("one").advance(14_000).renewLease("one").advance(14_000).applyTarget(),
  },
  {
    reason: "who took the lease over writes",
    log: new AuditLogBuilder().renewLease("one").renewLease("two").applyTarget(by("two")),
  },
  { reason: "nobody elects anybody", log: new AuditLogBuilder().applyTarget() },
  {
    reason: "somebody else's writes are not ours to violationsOf",
    log: new AuditLogBuilder().renewLease("one").applyTarget({ user: { username: "ann" } }),
  },
  {
    reason: "reads and dry runs",
    log: new AuditLogBuilder().renewLease("two").readConfig().applyTarget({ query: "?dryRun=All" }),
  },
  {
    reason: "a test's agent is its identity",
    log: new AuditLogBuilder().renewLease("me").applyTarget({ userAgent: "me" }),
  },
  {
    reason: "questions about rights store nothing",
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
    reason: "it woke up when its time was over",
    log: new AuditLogBuilder().renewLease("one").advance(15_001).applyTarget(),
    why: "the lease of one had expired",
  },
  {
    reason: "somebody else took over",
    log: new AuditLogBuilder().renewLease("one").advance(16_000).renewLease("two").applyTarget(),
    why: 'the lease is held by "two", not by one',
  },
  {
    reason: "it gave the lease back",
    log: new AuditLogBuilder().renewLease("one").renewLease("", 1).applyTarget(),
    why: 'the lease is held by "", not by one',
  },
  {
    reason: "it never had it",
    log: new AuditLogBuilder().renewLease("two").applyTarget(),
    why: 'the lease is held by "two", not by one',
  },
  {
    reason: "status writes count too",
    log: new AuditLogBuilder().renewLease("two").editSpec({}).writeStatus({ phase: "Drafting" }),
    why: 'the lease is held by "two", not by one',
  },
];

test.each(breaking)("broken: $reason", ({ log, why }) => {
  expect(violationsOf(log)).toEqual([expect.stringMatching(new RegExp(`: ${why}$`))]);
});
