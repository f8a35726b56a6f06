import { expect, test } from "vitest";
import { AuditLogBuilder, violationsBy } from "../testing/audit-log-builder.ts";
import { ignoredWrites } from "./target-writes.ts";

const violationsOf = violationsBy(ignoredWrites);

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

const breaking: readonly (readonly [reason: string, log: AuditLogBuilder])[] = [
  [
    "the writer has read Ignore",
    new AuditLogBuilder().startPlan().editSpec({ action: "Ignore" }).readConfig().applyTarget(),
  ],
  [
    "the writer missed Ignore for too long",
    new AuditLogBuilder().startPlan().editSpec({ action: "Ignore" }).advance(6_000).applyTarget(),
  ],
  [
    "the writer itself has written Ignored",
    new AuditLogBuilder().startPlan().editSpec({ action: "Ignore" }).writeStatus({ phase: "Ignored" }).applyTarget(),
  ],
  [
    "a target is deleted",
    new AuditLogBuilder()
      .startPlan({ operation: "Delete" })
      .editSpec({ action: "Ignore" })
      .readConfig()
      .deleteTarget({ uid: "target-uid" }),
  ],
];

test.each(breaking)("broken: %s", (_reason, log) => {
  expect(violationsOf(log)).toEqual([expect.stringContaining("psi: load-aware-rebalancing is ignored")]);
});
