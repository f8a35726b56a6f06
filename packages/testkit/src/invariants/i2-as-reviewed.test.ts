import { expect, test } from "vitest";
import { AuditLogBuilder, violationsBy } from "../testing/audit-log-builder.ts";
import { unreviewedWrites } from "./target-writes.ts";

const violationsOf = violationsBy(unreviewedWrites);

const conflicts = [{ field: "spec.kernelArguments", manager: "someone" }];
const forced = { query: "?fieldManager=virt-advisor-operator&force=true" };
const created = { metadata: { name: "psi" } };
const bypassed = { bypassOptimisticLock: true };

const holding: readonly (readonly [reason: string, log: AuditLogBuilder])[] = [
  ["the reviewed object at a new resourceVersion", new AuditLogBuilder().startPlan().applyTarget()],
  ["force over a shown conflict", new AuditLogBuilder().startPlan({ conflicts }).applyTarget(forced)],
  [
    "creation of an object that was reviewed as absent",
    new AuditLogBuilder().startPlan({ reviewed: { uid: "" } }).applyTarget(created),
  ],
  ["bypassOptimisticLock", new AuditLogBuilder().startPlan({}, bypassed).applyTarget({ ...forced, ...created })],
  [
    "a write without approval is only reported by I1",
    new AuditLogBuilder().applyTarget({ metadata: { name: "other" } }),
  ],
];

test.each(holding)("holds: %s", (_reason, log) => {
  expect(violationsOf(log)).toEqual([]);
});

const breaking: readonly (readonly [reason: string, log: AuditLogBuilder, why: string])[] = [
  [
    "another body",
    new AuditLogBuilder()
      .startPlan()
      .applyTarget({ requestObject: { apiVersion: "v1", kind: "MachineConfig", metadata: { name: "psi" } } }),
    "the body is not the desiredState of item enable-psi-metrics",
  ],
  [
    "another body with bypassOptimisticLock",
    new AuditLogBuilder().startPlan({}, bypassed).applyTarget({ metadata: { name: "psi", labels: { a: "b" } } }),
    "the body is not the desiredState of item enable-psi-metrics",
  ],
  [
    "an object that was re-created after the review",
    new AuditLogBuilder().startPlan().applyTarget({ metadata: { name: "psi", uid: "other", resourceVersion: "9" } }),
    'the uid is "other", reviewed was "target-uid"',
  ],
  [
    "no uid, so the server would re-create the object",
    new AuditLogBuilder().startPlan().applyTarget({ metadata: { name: "psi", resourceVersion: "9" } }),
    'the uid is "", reviewed was "target-uid"',
  ],
  [
    "no resourceVersion, so the server would overwrite changes",
    new AuditLogBuilder().startPlan().applyTarget({ metadata: { name: "psi", uid: "target-uid" } }),
    "applied without a resourceVersion",
  ],
  [
    "an existing object that was reviewed as absent",
    new AuditLogBuilder()
      .startPlan({ reviewed: {} })
      .applyTarget({ metadata: { name: "psi", uid: "new", resourceVersion: "9" } }),
    'the uid is "new", reviewed was ""',
  ],
  [
    "a resourceVersion for an object that was reviewed as absent",
    new AuditLogBuilder().startPlan({ reviewed: {} }).applyTarget({ metadata: { name: "psi", resourceVersion: "9" } }),
    "reviewed as absent, applied at a resourceVersion",
  ],
  [
    "force without a shown conflict",
    new AuditLogBuilder().startPlan().applyTarget(forced),
    "forced, but item enable-psi-metrics showed no conflict",
  ],
  [
    "bypassOptimisticLock with a named plan",
    new AuditLogBuilder().startPlan({}, { ...bypassed, approvedPlan: "h1" }).applyTarget(forced),
    "forced, but item enable-psi-metrics showed no conflict",
  ],
  [
    "an unknown field manager",
    new AuditLogBuilder().startPlan().applyTarget({ query: "?fieldManager=other" }),
    "the field manager is other",
  ],
  ["an update", new AuditLogBuilder().startPlan().applyTarget({ verb: "update" }), "a target is written by apply only"],
  [
    "a JSON patch",
    new AuditLogBuilder().startPlan().applyTarget({ requestObject: [{ op: "add", path: "/spec", value: {} }] }),
    "a target is written by apply only",
  ],
  [
    "an apply of an item that deletes",
    new AuditLogBuilder().startPlan({ operation: "Delete" }).applyTarget(),
    "item enable-psi-metrics deletes, it does not apply",
  ],
];

test.each(breaking)("broken: %s", (_reason, log, why) => {
  expect(violationsOf(log)).toEqual([
    expect.stringContaining(`machineconfigs.machineconfiguration.openshift.io/psi: ${why}`),
  ]);
});
