import { expect, test } from "vitest";
import { AuditLogBuilder, account } from "../testing/audit-log-builder.ts";
import { readAuditedRequests } from "./audited-requests.ts";
import { buildHistory } from "./history.ts";
import { ignoredWrites } from "./target-writes.ts";

const violationsOf = (log: AuditLogBuilder) =>
  ignoredWrites(buildHistory(readAuditedRequests(log.log), { accounts: [account] })).map(({ message }) => message);

const holding = [
  { reason: "a managed config", log: new AuditLogBuilder().startPlan().applyTarget() },
  {
    reason: "Ignore that the writer had not read",
    log: new AuditLogBuilder().startPlan().editSpec({ action: "Ignore" }).applyTarget(),
  },
  {
    reason: "an object of no plan is only reported by I1",
    log: new AuditLogBuilder().editSpec({ action: "Ignore" }).applyTarget(),
  },
  {
    reason: "a config that is managed again",
    log: new AuditLogBuilder()
      .startPlan()
      .editSpec({ action: "Ignore" })
      .writeStatus({ phase: "Ignored" })
      .editSpec({ action: "Apply" })
      .applyTarget(),
  },
];

test.each(holding)("holds: $reason", ({ log }) => {
  expect(violationsOf(log)).toEqual([]);
});

const breaking = [
  {
    reason: "the writer has read Ignore",
    log: new AuditLogBuilder().startPlan().editSpec({ action: "Ignore" }).readConfig().applyTarget(),
  },
  {
    reason: "the writer missed Ignore for too long",
    log: new AuditLogBuilder().startPlan().editSpec({ action: "Ignore" }).advance(6_000).applyTarget(),
  },
  {
    reason: "the writer itself has written Ignored",
    log: new AuditLogBuilder()
      .startPlan()
      .editSpec({ action: "Ignore" })
      .writeStatus({ phase: "Ignored" })
      .applyTarget(),
  },
  {
    reason: "a target is deleted",
    log: new AuditLogBuilder()
      .startPlan({ operation: "Delete" })
      .editSpec({ action: "Ignore" })
      .readConfig()
      .deleteTarget({ uid: "target-uid" }),
  },
];

test.each(breaking)("broken: $reason", ({ log }) => {
  expect(violationsOf(log)).toEqual([expect.stringContaining("psi: load-aware is ignored")]);
});
