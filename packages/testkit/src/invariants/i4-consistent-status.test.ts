import { expect, test } from "vitest";
import { AuditLogBuilder, item, violationsBy } from "../testing/audit-log-builder.ts";
import { inconsistentStatuses } from "./own-status.ts";
import { phases } from "./phase-edges.ts";

const violationsOf = violationsBy(inconsistentStatuses);

const conditions = (isTrue: (phase: string) => boolean, lastTransitionTime: string) =>
  phases.map((type) => ({ type, status: isTrue(type) ? "True" : "False", lastTransitionTime }));

const holding = [
  { reason: "a whole run", log: new AuditLogBuilder().startPlan().applyTarget().completePlan() },
  {
    reason: "a status that is written again unchanged",
    log: new AuditLogBuilder().startPlan().writeStatus({ phase: "InProgress" }),
  },
  {
    reason: "a re-created object starts again",
    log: new AuditLogBuilder().startPlan().deleteConfig().editSpec({}).writeStatus({ phase: "Drafting" }),
  },
  {
    reason: "a deletion that is answered before an earlier write",
    log: new AuditLogBuilder().startPlan().completePlan().deleteConfig().swapAnswers(),
  },
  {
    reason: "an item's time that changes with its state",
    log: new AuditLogBuilder()
      .startPlan()
      .writeStatus({ phase: "InProgress", items: [{ ...item, state: "Completed", lastTransitionTime: "now" }] }),
  },
];

test.each(holding)("holds: $reason", ({ log }) => {
  expect(violationsOf(log)).toEqual([]);
});

const breaking = [
  {
    reason: "a generation decreases",
    log: new AuditLogBuilder().startPlan().writeStatus({ phase: "InProgress", observedGeneration: 1 }),
    why: "observedGeneration went back from 2 to 1",
  },
  {
    reason: "a generation exceeds that of the spec",
    log: new AuditLogBuilder().startPlan().writeStatus({ phase: "InProgress", observedGeneration: 3 }),
    why: "observedGeneration 3 is above 2",
  },
  {
    reason: "a phase cannot follow",
    log: new AuditLogBuilder().startPlan().completePlan().writeStatus({ phase: "InProgress" }),
    why: 'no edge leads from "Completed" to "InProgress" with action Apply without an edit',
  },
  {
    reason: "two phases are True",
    log: new AuditLogBuilder()
      .editSpec({})
      .writeStatus({ phase: "Drafting", conditions: conditions((type) => type.startsWith("D"), "x") }),
    why: "phase Drafting has the conditions Drafting, Drifted",
  },
  {
    reason: "no phase is True",
    log: new AuditLogBuilder().editSpec({}).writeStatus({ phase: "Drafting", conditions: [] }),
    why: "phase Drafting has the conditions none",
  },
  {
    reason: "a condition contradicts the phase",
    log: new AuditLogBuilder()
      .editSpec({})
      .writeStatus({ phase: "Drafting", conditions: conditions((type) => type === "Failed", "x") }),
    why: "phase Drafting has the conditions Failed",
  },
  {
    reason: "a time changes without its condition",
    log: new AuditLogBuilder()
      .editSpec({})
      .writeStatus({ phase: "Drafting", conditions: conditions((type) => type === "Drafting", "x").slice(0, 2) })
      .writeStatus({ phase: "Drafting", conditions: conditions((type) => type === "Drafting", "y").slice(1, 2) }),
    why: "lastTransitionTime of condition Drafting moved, True did not",
  },
  {
    reason: "a time changes without its item",
    log: new AuditLogBuilder()
      .startPlan()
      .writeStatus({ phase: "InProgress", items: [{ ...item, state: "InProgress", lastTransitionTime: "now" }] })
      .writeStatus({ phase: "InProgress", items: [{ ...item, state: "InProgress", lastTransitionTime: "later" }] }),
    why: "lastTransitionTime of item enable-psi-metrics moved, InProgress did not",
  },
];

test.each(breaking)("broken: $reason", ({ log, why }) => {
  const subject = "update virtplatformconfigs.advisor.kubevirt.io/load-aware-rebalancing/status: ";
  expect(violationsOf(log).at(-1)).toBe(subject + why);
});
