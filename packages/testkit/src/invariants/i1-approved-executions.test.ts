import { expect, test } from "vitest";
import { AuditLogBuilder, item, violationsBy } from "../testing/audit-log-builder.ts";
import { unapprovedExecutions } from "./own-status.ts";

const violationsOf = violationsBy(unapprovedExecutions);

const inProgress = (executedGeneration: number, planHash = "h1") =>
  ({ phase: "InProgress", executedGeneration, planHash, items: [item] }) as const;
const review = (generation: number) => ({ forced: true, generation, planHash: "h2" });
const finished = () => new AuditLogBuilder().startPlan().applyTarget().completePlan();
/** An input changed after generation 2 was executed, and plan h2 is pending. */
const forced = () =>
  finished()
    .writeStatus({ phase: "Drafting", review: review(2) })
    .writeStatus({ phase: "ReviewRequired", planHash: "h2", review: review(2), items: [item] });

const holding = [
  { reason: "the first execution", log: finished() },
  {
    reason: "an edit after an execution",
    log: finished().editSpec({ mode: "x" }).writeStatus({ phase: "Drafting" }).writeStatus(inProgress(3)),
  },
  {
    reason: "a forced plan that an edit acknowledged",
    log: forced().editSpec({ action: "Apply" }).writeStatus(inProgress(3, "h2")),
  },
  {
    reason: "an automatic correction that the user enabled",
    log: finished()
      .editSpec({ bypassOptimisticLock: true })
      .writeStatus({ phase: "Drafting" })
      .completePlan()
      .writeStatus({ phase: "Completed", executedGeneration: 3 })
      .writeStatus({ phase: "Drifted" })
      .writeStatus(inProgress(3)),
  },
  {
    reason: "waiting for an item that is already in place",
    log: finished()
      .writeStatus({ phase: "Drafting" })
      .writeStatus({ ...inProgress(2), items: [{ ...item, diff: "--- a\n+++ a\n(no changes)\n" }] }),
  },
];

test.each(holding)("holds: $reason", ({ log }) => {
  expect(violationsOf(log)).toEqual([]);
});

const subject =
  "update virtplatformconfigs.advisor.kubevirt.io/load-aware-rebalancing/status: load-aware-rebalancing begins although ";

const breaking = [
  {
    reason: "a generation is executed twice",
    log: finished().writeStatus({ phase: "Drafting" }).writeStatus(inProgress(2)),
    why: "generation 2 was carried out before",
  },
  {
    reason: "drift is corrected without permission",
    log: finished().writeStatus({ phase: "Drifted" }).writeStatus(inProgress(2)),
    why: "generation 2 was carried out before",
  },
  {
    reason: "a forced review is unanswered after a restart",
    log: new AuditLogBuilder()
      .editSpec({ action: "Apply" })
      .writeStatus({ phase: "ReviewRequired", planHash: "h2", review: review(1), items: [item] })
      .writeStatus(inProgress(1, "h2")),
    why: "no user has answered the forced review",
  },
  {
    reason: "the acknowledged plan is not the shown one",
    log: forced().editSpec({ mode: "x" }).writeStatus({ phase: "Drafting" }).writeStatus(inProgress(3, "h3")),
    why: "the forced review showed another plan",
  },
];

test.each(breaking)("broken: $reason", ({ log, why }) => {
  expect(violationsOf(log)).toEqual([subject + why]);
});
