import { expect, test } from "vitest";
import { AuditLogBuilder, item, violationsBy } from "../testing/audit-log-builder.ts";
import type { HistoryScope } from "./history.ts";
import { unapprovedWrites } from "./target-writes.ts";

const violationsOf = violationsBy(unapprovedWrites);

const holding: readonly { reason: string; log: AuditLogBuilder; scope?: Partial<HistoryScope> }[] = [
  { reason: "a write after approval and start", log: new AuditLogBuilder().startPlan().applyTarget() },
  {
    reason: "an approval by the hash of the stored plan",
    log: new AuditLogBuilder().startPlan({}, { approvedPlan: "h1" }).applyTarget(),
  },
  {
    reason: "an approval by hash while the plan runs",
    log: new AuditLogBuilder().startPlan().editSpec({ approvedPlan: "h1" }).readConfig().applyTarget(),
  },
  {
    reason: "a required approval",
    log: new AuditLogBuilder().startPlan({}, { approvedPlan: "h1" }).applyTarget(),
    scope: { isApprovalRequired: true },
  },
  {
    reason: "an edit that the writer had not read",
    log: new AuditLogBuilder().startPlan().editSpec({ action: "Ignore" }).applyTarget(),
  },
  {
    reason: "another process that continues after a crash",
    log: new AuditLogBuilder().startPlan().readConfig().advance(60_000).readConfig().applyTarget(),
  },
  {
    reason: "writes of Events, Leases and configs",
    log: new AuditLogBuilder().request({
      verb: "create",
      objectRef: { resource: "events", namespace: "default", name: "e" },
    }),
  },
];

test.each(holding)("holds: $reason", ({ log, scope }) => {
  expect(violationsOf(log, scope)).toEqual([]);
});

const allowed =
  "patch machineconfigs.machineconfiguration.openshift.io/psi: load-aware-rebalancing does not allow it: ";

const evil = { spec: { kernelArguments: ["init=/bin/evil"] } };
const forged = { ...item, state: "InProgress", desiredState: evil };

const breaking: readonly { reason: string; log: AuditLogBuilder; scope?: Partial<HistoryScope>; why: string }[] = [
  {
    reason: "the stored item is only Pending",
    log: new AuditLogBuilder()
      .startPlan()
      .writeStatus({ phase: "InProgress", items: [item] })
      .applyTarget(),
    why: `${allowed}item enable-psi-metrics is Pending`,
  },
  {
    reason: "another client changed the status that the operator copied",
    log: new AuditLogBuilder()
      .editSpec({ action: "Apply" })
      .writeStatus({ phase: "ReviewRequired", planHash: "h1", items: [item] })
      .forgeStatus({ items: [{ ...item, desiredState: evil }] })
      .writeStatus({ phase: "InProgress", executedGeneration: 1, items: [forged] })
      .applyTarget({ metadata: { name: "psi" } }),
    why: `${allowed}item enable-psi-metrics was put on record by mallory`,
  },
  {
    reason: "the status is written after the target",
    log: new AuditLogBuilder()
      .editSpec({ action: "Apply" })
      .writeStatus({ phase: "ReviewRequired", items: [item] })
      .applyTarget()
      .writeStatus({ phase: "InProgress", items: [{ ...item, state: "InProgress" }], executedGeneration: 1 }),
    why: `${allowed}phase is ReviewRequired`,
  },
  {
    reason: "a completed item is applied again",
    log: new AuditLogBuilder().startPlan().applyTarget().completePlan().applyTarget(),
    why: `${allowed}phase is Completed`,
  },
  {
    reason: "the writer has read a DryRun",
    log: new AuditLogBuilder().startPlan().editSpec({ action: "DryRun" }).readConfig().applyTarget(),
    why: `${allowed}action is DryRun`,
  },
  {
    reason: "the writer missed a DryRun for too long",
    log: new AuditLogBuilder().startPlan().editSpec({ action: "DryRun" }).advance(6_000).applyTarget(),
    why: `${allowed}action is DryRun`,
  },
  {
    reason: "the writer itself withdrew the plan",
    log: new AuditLogBuilder().startPlan().writeStatus({ phase: "ReviewRequired" }).applyTarget(),
    why: `${allowed}phase is ReviewRequired`,
  },
  {
    reason: "another plan is approved",
    log: new AuditLogBuilder().startPlan({}, { approvedPlan: "h2" }).applyTarget(),
    why: `${allowed}approvedPlan does not name this plan`,
  },
  {
    reason: "a required approval by hash is missing",
    log: new AuditLogBuilder().startPlan().applyTarget(),
    scope: { isApprovalRequired: true },
    why: `${allowed}approvedPlan does not name this plan`,
  },
  {
    reason: "options changed during the execution",
    log: new AuditLogBuilder()
      .startPlan()
      .editSpec({ options: { loadAware: { mode: "Predictive" } } })
      .readConfig()
      .applyTarget(),
    why: `${allowed}the spec was changed after the approval`,
  },
  {
    reason: "the config is deleted",
    log: new AuditLogBuilder().startPlan().deleteConfig().advance(6_000).applyTarget(),
    why: "patch machineconfigs.machineconfiguration.openshift.io/psi: no plan names this object",
  },
  {
    reason: "the object is not in a plan",
    log: new AuditLogBuilder()
      .startPlan()
      .applyTarget({ objectRef: { resource: "configmaps", namespace: "default", name: "psi" } }),
    why: "patch configmaps/default/psi: no plan names this object",
  },
  {
    reason: "an object with the same name is in another group",
    log: new AuditLogBuilder()
      .startPlan()
      .applyTarget({ objectRef: { apiGroup: "example.org", resource: "machineconfigs", name: "psi" } }),
    why: "patch machineconfigs.example.org/psi: no plan names this object",
  },
  {
    reason: "a deletion has no approval",
    log: new AuditLogBuilder().startPlan().completePlan().deleteTarget({ uid: "target-uid" }),
    why: "delete machineconfigs.machineconfiguration.openshift.io/psi: load-aware-rebalancing does not allow it: phase is Completed",
  },
];

test.each(breaking)("broken: $reason", ({ log, scope, why }) => {
  expect(violationsOf(log, scope)).toEqual([why]);
});
