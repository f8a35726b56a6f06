import { expect, test } from "vitest";
import { AuditLogBuilder, violationsBy } from "../testing/audit-log-builder.ts";
import { unguardedDeletes } from "./target-writes.ts";

const violationsOf = violationsBy(unguardedDeletes);

const deleting = () => new AuditLogBuilder().startPlan({ operation: "Delete" });
const psi = "delete machineconfigs.machineconfiguration.openshift.io/psi: ";

const holding = [
  { reason: "the reviewed uid", log: deleting().deleteTarget({ uid: "target-uid", resourceVersion: "9" }) },
  { reason: "a dry run", log: deleting().deleteTarget(undefined, { query: "?dryRun=All" }) },
  { reason: "another client's deletion", log: deleting().deleteTarget(undefined, { user: { username: "ann" } }) },
  { reason: "an apply", log: new AuditLogBuilder().startPlan().applyTarget() },
];

test.each(holding)("holds: $reason", ({ log }) => {
  expect(violationsOf(log)).toEqual([]);
});

const breaking: readonly (readonly [reason: string, log: AuditLogBuilder, why: string])[] = [
  ["no precondition", deleting().deleteTarget(), `${psi}no uid precondition`],
  ["a resourceVersion without a uid", deleting().deleteTarget({ resourceVersion: "9" }), `${psi}no uid precondition`],
  [
    "the uid of another object",
    deleting().deleteTarget({ uid: "other" }),
    `${psi}no item reviewed the deletion of this uid`,
  ],
  [
    "an item that applies",
    new AuditLogBuilder().startPlan().deleteTarget({ uid: "target-uid" }),
    `${psi}no item reviewed the deletion of this uid`,
  ],
  [
    "a Namespace",
    deleting().deleteTarget({ uid: "target-uid" }, { objectRef: { resource: "namespaces", name: "openshift-cnv" } }),
    "delete namespaces/openshift-cnv: a Namespace is never deleted",
  ],
  [
    "a whole collection",
    deleting().request({ verb: "deletecollection", objectRef: { resource: "configmaps", namespace: "a" } }),
    "deletecollection configmaps/a: a whole collection is deleted",
  ],
];

test.each(breaking)("broken: %s", (_reason, log, why) => {
  expect(violationsOf(log)).toEqual([why]);
});
