import { expect, test } from "vitest";
import { readAudited } from "./audited.ts";
import { historyOf, type Scope } from "./history.ts";
import { unapprovedWrites } from "./i1-approved-writes.ts";
import { account, item, Story } from "./story.ts";

const judge = (story: Story, scope: Partial<Scope> = {}) =>
  unapprovedWrites(historyOf(readAudited(story.log), { accounts: [account], ...scope })).map(({ message }) => message);

const innocent: readonly { reason: string; story: Story; scope?: Partial<Scope> }[] = [
  { reason: "approved, begun, written", story: new Story().begun().apply() },
  { reason: "the approved plan is the one on record", story: new Story().begun({}, { approvedPlan: "h1" }).apply() },
  {
    reason: "an approval by hash that comes while it runs",
    story: new Story().begun().edit({ approvedPlan: "h1" }).read().apply(),
  },
  {
    reason: "required approval that was given",
    story: new Story().begun({}, { approvedPlan: "h1" }).apply(),
    scope: { isApprovalRequired: true },
  },
  {
    reason: "an edit that crosses with the write: its writer had not read it yet",
    story: new Story().begun().edit({ action: "Ignore" }).apply(),
  },
  {
    reason: "after a crash another process goes on, having read",
    story: new Story().begun().read().pass(60_000).read().apply(),
  },
  {
    reason: "what is no target: Events, Leases, the config itself",
    story: new Story().tell({ verb: "create", objectRef: { resource: "events", namespace: "default", name: "e" } }),
  },
];

test.each(innocent)("innocent: $reason", ({ story, scope }) => {
  expect(judge(story, scope)).toEqual([]);
});

const allowed = "patch machineconfigs.machineconfiguration.openshift.io/psi: load-aware does not allow it: ";

const guilty: readonly { reason: string; story: Story; scope?: Partial<Scope>; why: string }[] = [
  {
    reason: "the item is only Pending on record",
    story: new Story()
      .begun()
      .status({ phase: "InProgress", items: [item] })
      .apply(),
    why: `${allowed}item enable-psi-metrics is Pending`,
  },
  {
    reason: "the status is written after the target, not before",
    story: new Story()
      .edit({ action: "Apply" })
      .status({ phase: "ReviewRequired", items: [item] })
      .apply()
      .status({ phase: "InProgress", items: [{ ...item, state: "InProgress" }], executedGeneration: 1 }),
    why: `${allowed}phase is ReviewRequired`,
  },
  {
    reason: "the item was recorded as done before: a second apply",
    story: new Story().begun().apply().done().apply(),
    why: `${allowed}phase is Completed`,
  },
  {
    reason: "the person went back to DryRun, and the writer has read it",
    story: new Story().begun().edit({ action: "DryRun" }).read().apply(),
    why: `${allowed}action is DryRun`,
  },
  {
    reason: "the person went back long ago, and the writer did not look",
    story: new Story().begun().edit({ action: "DryRun" }).pass(6_000).apply(),
    why: `${allowed}action is DryRun`,
  },
  {
    reason: "the writer itself took the plan off the record",
    story: new Story().begun().status({ phase: "ReviewRequired" }).apply(),
    why: `${allowed}phase is ReviewRequired`,
  },
  {
    reason: "another plan was approved",
    story: new Story().begun({}, { approvedPlan: "h2" }).apply(),
    why: `${allowed}approvedPlan does not name this plan`,
  },
  {
    reason: "approval by hash is required and missing",
    story: new Story().begun().apply(),
    scope: { isApprovalRequired: true },
    why: `${allowed}approvedPlan does not name this plan`,
  },
  {
    reason: "options changed while it ran",
    story: new Story()
      .begun()
      .edit({ options: { loadAware: { mode: "Predictive" } } })
      .read()
      .apply(),
    why: `${allowed}the spec was changed after the approval`,
  },
  {
    reason: "the config is gone",
    story: new Story().begun().removeConfig().pass(6_000).apply(),
    why: "patch machineconfigs.machineconfiguration.openshift.io/psi: no plan names this object",
  },
  {
    reason: "the object is in no plan",
    story: new Story().begun().apply({ objectRef: { resource: "configmaps", namespace: "default", name: "psi" } }),
    why: "patch configmaps/default/psi: no plan names this object",
  },
  {
    reason: "an object of the same name in another group",
    story: new Story()
      .begun()
      .apply({ objectRef: { apiGroup: "example.org", resource: "machineconfigs", name: "psi" } }),
    why: "patch machineconfigs.example.org/psi: no plan names this object",
  },
  {
    reason: "a deletion needs approval like an apply",
    story: new Story().begun().done().remove({ uid: "target-uid" }),
    why: "delete machineconfigs.machineconfiguration.openshift.io/psi: load-aware does not allow it: phase is Completed",
  },
];

test.each(guilty)("guilty: $reason", ({ story, scope, why }) => {
  expect(judge(story, scope)).toEqual([why]);
});
