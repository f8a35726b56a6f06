import { expect, test } from "vitest";
import { AuditLogBuilder, account, item } from "../testing/audit-log-builder.ts";
import { readAuditedRequests } from "./audited-requests.ts";
import { buildHistory } from "./history.ts";
import { unapprovedExecutions } from "./own-status.ts";

const violationsOf = (log: AuditLogBuilder) =>
  unapprovedExecutions(buildHistory(readAuditedRequests(log.log), { accounts: [account] })).map(
    ({ message }) => message,
  );

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
    reason: "the forced plan, acknowledged by an edit",
    log: forced().editSpec({ action: "Apply" }).writeStatus(inProgress(3, "h2")),
  },
  {
    reason: "the automatic correction that the person asked for",
    log: finished()
      .editSpec({ bypassOptimisticLock: true })
      .writeStatus({ phase: "Drafting" })
      .completePlan()
      .writeStatus({ phase: "Completed", executedGeneration: 3 })
      .writeStatus({ phase: "Drifted" })
      .writeStatus(inProgress(3)),
  },
  {
    reason: "waiting for what is in place already",
    log: finished()
      .writeStatus({ phase: "Drafting" })
      .writeStatus({ ...inProgress(2), items: [{ ...item, diff: "--- a\n+++ a\n(no changes)\n" }] }),
  },
];

test.each(holding)("holds: $reason", ({ log }) => {
  expect(violationsOf(log)).toEqual([]);
});

const subject = "update virtplatformconfigs.advisor.kubevirt.io/load-aware/status: load-aware begins although ";

const breaking = [
  {
    reason: "the same request is carried out twice",
    log: finished().writeStatus({ phase: "Drafting" }).writeStatus(inProgress(2)),
    why: "generation 2 was carried out before",
  },
  {
    reason: "drift is corrected although nobody asked for it",
    log: finished().writeStatus({ phase: "Drifted" }).writeStatus(inProgress(2)),
    why: "generation 2 was carried out before",
  },
  {
    reason: "a forced review that nobody answered, after a restart that forgot what was carried out",
    log: new AuditLogBuilder()
      .editSpec({ action: "Apply" })
      .writeStatus({ phase: "ReviewRequired", planHash: "h2", review: review(1), items: [item] })
      .writeStatus(inProgress(1, "h2")),
    why: "nobody has answered the review that was forced",
  },
  {
    reason: "the answer led to another plan than the one on display",
    log: forced().editSpec({ mode: "x" }).writeStatus({ phase: "Drafting" }).writeStatus(inProgress(3, "h3")),
    why: "the forced review showed another plan",
  },
];

test.each(breaking)("broken: $reason", ({ log, why }) => {
  expect(violationsOf(log)).toEqual([subject + why]);
});
