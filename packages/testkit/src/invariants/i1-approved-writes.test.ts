import { expect, test } from "vitest";
import { AuditLogBuilder, account, item } from "../testing/audit-log-builder.ts";
import { readAuditedRequests } from "./audited-requests.ts";
import { buildHistory, type HistoryScope } from "./history.ts";
import { unapprovedWrites } from "./target-writes.ts";

const violationsOf = (log: AuditLogBuilder, scope: Partial<HistoryScope> = {}) =>
  unapprovedWrites(buildHistory(readAuditedRequests(log.log), { accounts: [account], ...scope })).map(
    ({ message }) => message,
  );

const holding: readonly { reason: string; log: AuditLogBuilder; scope?: Partial<HistoryScope> }[] = [
  { reason: "approved, begun, written", log: new AuditLogBuilder().startPlan().applyTarget() },
  {
    reason: "the approved plan is the one on record",
    log: new AuditLogBuilder().startPlan({}, { approvedPlan: "h1" }).applyTarget(),
  },
  {
    reason: "an approval by hash that comes while it runs",
    log: new AuditLogBuilder().startPlan().editSpec({ approvedPlan: "h1" }).readConfig().applyTarget(),
  },
  {
    reason: "required approval that was given",
    log: new AuditLogBuilder().startPlan({}, { approvedPlan: "h1" }).applyTarget(),
    scope: { isApprovalRequired: true },
  },
  {
    reason: "an edit that crosses with the write: its writer had not read it yet",
    log: new AuditLogBuilder().startPlan().editSpec({ action: "Ignore" }).applyTarget(),
  },
  {
    reason: "after a crash another process goes on, having read",
    log: new AuditLogBuilder().startPlan().readConfig().advance(60_000).readConfig().applyTarget(),
  },
  {
    reason: "what is no target: Events, Leases, the config itself",
    log: new AuditLogBuilder().request({
      verb: "create",
      objectRef: { resource: "events", namespace: "default", name: "e" },
    }),
  },
];

test.each(holding)("holds: $reason", ({ log, scope }) => {
  expect(violationsOf(log, scope)).toEqual([]);
});

const allowed = "patch machineconfigs.machineconfiguration.openshift.io/psi: load-aware does not allow it: ";

const evil = { spec: { kernelArguments: ["init=/bin/evil"] } };
const forged = { ...item, state: "InProgress", desiredState: evil };

const breaking: readonly { reason: string; log: AuditLogBuilder; scope?: Partial<HistoryScope>; why: string }[] = [
  {
    reason: "the item is only Pending on record",
    log: new AuditLogBuilder()
      .startPlan()
      .writeStatus({ phase: "InProgress", items: [item] })
      .applyTarget(),
    why: `${allowed}item enable-psi-metrics is Pending`,
  },
  {
    reason: "what is applied was put into the status by somebody else, and copied by the operator",
    log: new AuditLogBuilder()
      .editSpec({ action: "Apply" })
      .writeStatus({ phase: "ReviewRequired", planHash: "h1", items: [item] })
      .forgeStatus({ items: [{ ...item, desiredState: evil }] })
      .writeStatus({ phase: "InProgress", executedGeneration: 1, items: [forged] })
      .applyTarget({ metadata: { name: "psi" } }),
    why: `${allowed}item enable-psi-metrics was put on record by mallory`,
  },
  {
    reason: "the status is written after the target, not before",
    log: new AuditLogBuilder()
      .editSpec({ action: "Apply" })
      .writeStatus({ phase: "ReviewRequired", items: [item] })
      .applyTarget()
      .writeStatus({ phase: "InProgress", items: [{ ...item, state: "InProgress" }], executedGeneration: 1 }),
    why: `${allowed}phase is ReviewRequired`,
  },
  {
    reason: "the item was recorded as done before: a second apply",
    log: new AuditLogBuilder().startPlan().applyTarget().completePlan().applyTarget(),
    why: `${allowed}phase is Completed`,
  },
  {
    reason: "the person went back to DryRun, and the writer has read it",
    log: new AuditLogBuilder().startPlan().editSpec({ action: "DryRun" }).readConfig().applyTarget(),
    why: `${allowed}action is DryRun`,
  },
  {
    reason: "the person went back long ago, and the writer did not read it",
    log: new AuditLogBuilder().startPlan().editSpec({ action: "DryRun" }).advance(6_000).applyTarget(),
    why: `${allowed}action is DryRun`,
  },
  {
    reason: "the writer itself took the plan off the record",
    log: new AuditLogBuilder().startPlan().writeStatus({ phase: "ReviewRequired" }).applyTarget(),
    why: `${allowed}phase is ReviewRequired`,
  },
  {
    reason: "another plan was approved",
    log: new AuditLogBuilder().startPlan({}, { approvedPlan: "h2" }).applyTarget(),
    why: `${allowed}approvedPlan does not name this plan`,
  },
  {
    reason: "approval by hash is required and missing",
    log: new AuditLogBuilder().startPlan().applyTarget(),
    scope: { isApprovalRequired: true },
    why: `${allowed}approvedPlan does not name this plan`,
  },
  {
    reason: "options changed while it ran",
    log: new AuditLogBuilder()
      .startPlan()
      .editSpec({ options: { loadAware: { mode: "Predictive" } } })
      .readConfig()
      .applyTarget(),
    why: `${allowed}the spec was changed after the approval`,
  },
  {
    reason: "the config is gone",
    log: new AuditLogBuilder().startPlan().deleteConfig().advance(6_000).applyTarget(),
    why: "patch machineconfigs.machineconfiguration.openshift.io/psi: no plan names this object",
  },
  {
    reason: "the object is in no plan",
    log: new AuditLogBuilder()
      .startPlan()
      .applyTarget({ objectRef: { resource: "configmaps", namespace: "default", name: "psi" } }),
    why: "patch configmaps/default/psi: no plan names this object",
  },
  {
    reason: "an object of the same name in another group",
    log: new AuditLogBuilder()
      .startPlan()
      .applyTarget({ objectRef: { apiGroup: "example.org", resource: "machineconfigs", name: "psi" } }),
    why: "patch machineconfigs.example.org/psi: no plan names this object",
  },
  {
    reason: "a deletion needs approval like an apply",
    log: new AuditLogBuilder().startPlan().completePlan().deleteTarget({ uid: "target-uid" }),
    why: "delete machineconfigs.machineconfiguration.openshift.io/psi: load-aware does not allow it: phase is Completed",
  },
];

test.each(breaking)("broken: $reason", ({ log, scope, why }) => {
  expect(violationsOf(log, scope)).toEqual([why]);
});
