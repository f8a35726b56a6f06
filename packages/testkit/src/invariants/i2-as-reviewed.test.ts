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
  { reason: "the reviewed object at a fresh resourceVersion", log: new AuditLogBuilder().startPlan().applyTarget() },
  {
    reason: "force over a conflict that was shown",
    log: new AuditLogBuilder().startPlan({ conflicts }).applyTarget(forced),
  },
  {
    reason: "reviewed as absent, created",
    log: new AuditLogBuilder().startPlan({ reviewed: { uid: "" } }).applyTarget(created),
  },
  {
    reason: "the lock was given up",
    log: new AuditLogBuilder().startPlan({}, bypassed).applyTarget({ ...forced, ...created }),
  },
  {
    reason: "a write without approval is not reported twice",
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
    reason: "another body, although the lock was given up",
    log: new AuditLogBuilder().startPlan({}, bypassed).applyTarget({ metadata: { name: "psi", labels: { a: "b" } } }),
    why: "the body is not the desiredState of item enable-psi-metrics",
  },
  {
    reason: "an object that was created anew since the review",
    log: new AuditLogBuilder()
      .startPlan()
      .applyTarget({ metadata: { name: "psi", uid: "other", resourceVersion: "9" } }),
    why: 'the uid is "other", reviewed was "target-uid"',
  },
  {
    reason: "no uid: the server would create what was deleted",
    log: new AuditLogBuilder().startPlan().applyTarget({ metadata: { name: "psi", resourceVersion: "9" } }),
    why: 'the uid is "", reviewed was "target-uid"',
  },
  {
    reason: "no resourceVersion: the server would overwrite what came between",
    log: new AuditLogBuilder().startPlan().applyTarget({ metadata: { name: "psi", uid: "target-uid" } }),
    why: "applied without a resourceVersion",
  },
  {
    reason: "reviewed as absent, applied to what somebody made",
    log: new AuditLogBuilder()
      .startPlan({ reviewed: {} })
      .applyTarget({ metadata: { name: "psi", uid: "new", resourceVersion: "9" } }),
    why: 'the uid is "new", reviewed was ""',
  },
  {
    reason: "reviewed as absent, at a resourceVersion",
    log: new AuditLogBuilder()
      .startPlan({ reviewed: {} })
      .applyTarget({ metadata: { name: "psi", resourceVersion: "9" } }),
    why: "reviewed as absent, applied at a resourceVersion",
  },
  {
    reason: "force without a conflict on display",
    log: new AuditLogBuilder().startPlan().applyTarget(forced),
    why: "forced, but item enable-psi-metrics showed no conflict",
  },
  {
    reason: "the lock was given up, but a plan is pinned",
    log: new AuditLogBuilder().startPlan({}, { ...bypassed, approvedPlan: "h1" }).applyTarget(forced),
    why: "forced, but item enable-psi-metrics showed no conflict",
  },
  {
    reason: "a field manager that users do not know",
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
    reason: "an item that says Delete is applied",
    log: new AuditLogBuilder().startPlan({ operation: "Delete" }).applyTarget(),
    why: "item enable-psi-metrics deletes, it does not apply",
  },
];

test.each(breaking)("broken: $reason", ({ log, why }) => {
  expect(violationsOf(log)).toEqual([
    expect.stringContaining(`machineconfigs.machineconfiguration.openshift.io/psi: ${why}`),
  ]);
});
