import { expect, test } from "vitest";
import { AuditLogBuilder, account } from "../testing/audit-log-builder.ts";
import { readAuditedRequests } from "./audited-requests.ts";
import { buildHistory } from "./history.ts";
import { unreviewedWrites } from "./target-writes.ts";

const violationsOf = (log: AuditLogBuilder) =>
  unreviewedWrites(buildHistory(readAuditedRequests(log.log), { accounts: [account] })).map(({ message }) => message);

const conflicts = [{ field: "spec.kernelArguments", manager: "someone" }];
const forced = { query: "?fieldManager=virt-advisor-operator&force=true" };
const created = { metadata: { name: "psi" } };
const bypassed = { bypassOptimisticLock: true };

const holding = [
  { reason: "the reviewed object at a new resourceVersion", log: new AuditLogBuilder().startPlan().applyTarget() },
  {
    reason: "force over a shown conflict",
    log: new AuditLogBuilder().startPlan({ conflicts }).applyTarget(forced),
  },
  {
    reason: "creation of an object that was reviewed as absent",
    log: new AuditLogBuilder().startPlan({ reviewed: { uid: "" } }).applyTarget(created),
  },
  {
    reason: "bypassOptimisticLock",
    log: new AuditLogBuilder().startPlan({}, bypassed).applyTarget({ ...forced, ...created }),
  },
  {
    reason: "a write without approval is only reported by I1",
    log: new AuditLogBuilder().applyTarget({ metadata: { name: "other" } }),
  },
];

test.each(holding)("holds: $reason", ({ log }) => {
  expect(violationsOf(log)).toEqual([]);
});

const breaking = [
  {
    reason: "another body",
    log: new AuditLogBuilder()
      .startPlan()
      .applyTarget({ requestObject: { apiVersion: "v1", kind: "MachineConfig", metadata: { name: "psi" } } }),
    why: "the body is not the desiredState of item enable-psi-metrics",
  },
  {
    reason: "another body with bypassOptimisticLock",
    log: new AuditLogBuilder().startPlan({}, bypassed).applyTarget({ metadata: { name: "psi", labels: { a: "b" } } }),
    why: "the body is not the desiredState of item enable-psi-metrics",
  },
  {
    reason: "an object that was re-created after the review",
    log: new AuditLogBuilder()
      .startPlan()
      .applyTarget({ metadata: { name: "psi", uid: "other", resourceVersion: "9" } }),
    why: 'the uid is "other", reviewed was "target-uid"',
  },
  {
    reason: "no uid, so the server would re-create the object",
    log: new AuditLogBuilder().startPlan().applyTarget({ metadata: { name: "psi", resourceVersion: "9" } }),
    why: 'the uid is "", reviewed was "target-uid"',
  },
  {
    reason: "no resourceVersion, so the server would overwrite changes",
    log: new AuditLogBuilder().startPlan().applyTarget({ metadata: { name: "psi", uid: "target-uid" } }),
    why: "applied without a resourceVersion",
  },
  {
    reason: "an existing object that was reviewed as absent",
    log: new AuditLogBuilder()
      .startPlan({ reviewed: {} })
      .applyTarget({ metadata: { name: "psi", uid: "new", resourceVersion: "9" } }),
    why: 'the uid is "new", reviewed was ""',
  },
  {
    reason: "a resourceVersion for an object that was reviewed as absent",
    log: new AuditLogBuilder()
      .startPlan({ reviewed: {} })
      .applyTarget({ metadata: { name: "psi", resourceVersion: "9" } }),
    why: "reviewed as absent, applied at a resourceVersion",
  },
  {
    reason: "force without a shown conflict",
    log: new AuditLogBuilder().startPlan().applyTarget(forced),
    why: "forced, but item enable-psi-metrics showed no conflict",
  },
  {
    reason: "bypassOptimisticLock with a named plan",
    log: new AuditLogBuilder().startPlan({}, { ...bypassed, approvedPlan: "h1" }).applyTarget(forced),
    why: "forced, but item enable-psi-metrics showed no conflict",
  },
  {
    reason: "an unknown field manager",
    log: new AuditLogBuilder().startPlan().applyTarget({ query: "?fieldManager=other" }),
    why: "the field manager is other",
  },
  {
    reason: "an update",
    log: new AuditLogBuilder().startPlan().applyTarget({ verb: "update" }),
    why: "a target is written by apply only",
  },
  {
    reason: "a JSON patch",
    log: new AuditLogBuilder().startPlan().applyTarget({ requestObject: [{ op: "add", path: "/spec", value: {} }] }),
    why: "a target is written by apply only",
  },
  {
    reason: "an apply of an item that deletes",
    log: new AuditLogBuilder().startPlan({ operation: "Delete" }).applyTarget(),
    why: "item enable-psi-metrics deletes, it does not apply",
  },
];

test.each(breaking)("broken: $reason", ({ log, why }) => {
  expect(violationsOf(log)).toEqual([
    expect.stringContaining(`machineconfigs.machineconfiguration.openshift.io/psi: ${why}`),
  ]);
});
