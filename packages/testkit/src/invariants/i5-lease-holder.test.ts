import { expect, test } from "vitest";
import { AuditLogBuilder, violationsBy } from "../testing/audit-log-builder.ts";
import { writesWithoutLease } from "./i5-lease-holder.ts";

const violationsOf = violationsBy(writesWithoutLease);

const by = (identity: string) => ({ userAgent: `virt-operator/v0.1.0 (advisor,platform; ${identity})` });

const holding: readonly (readonly [reason: string, log: AuditLogBuilder])[] = [
  ["the holder writes", new AuditLogBuilder().renewLease("one").applyTarget()],
  ["the holder writes at the end of its lease", new AuditLogBuilder().renewLease("one").advance(15_000).applyTarget()],
  [
    "a renewal extends the lease",
    new AuditLogBuilder().renewLease("one").advance(14_000).renewLease("one").advance(14_000).applyTarget(),
  ],
  ["the new holder writes", new AuditLogBuilder().renewLease("one").renewLease("two").applyTarget(by("two"))],
  ["a run without leader election", new AuditLogBuilder().applyTarget()],
  ["another client's writes", new AuditLogBuilder().renewLease("one").applyTarget({ user: { username: "ann" } })],
  ["reads and dry runs", new AuditLogBuilder().renewLease("two").readConfig().applyTarget({ query: "?dryRun=All" })],
  [
    "a user agent without parentheses is the identity",
    new AuditLogBuilder().renewLease("me").applyTarget({ userAgent: "me" }),
  ],
  [
    "access reviews",
    new AuditLogBuilder()
      .renewLease("two")
      .request({ verb: "create", objectRef: { apiGroup: "authentication.k8s.io", resource: "tokenreviews" } }),
  ],
];

test.each(holding)("holds: %s", (_reason, log) => {
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
