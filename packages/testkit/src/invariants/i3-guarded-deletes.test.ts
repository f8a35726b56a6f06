import { expect, test } from "vitest";
import { AuditLogBuilder, account } from "../testing/audit-log-builder.ts";
import { readAuditedRequests } from "./audited-requests.ts";
import { buildHistory } from "./history.ts";
import { unguardedDeletes } from "./target-writes.ts";

const violationsOf = (log: AuditLogBuilder) =>
  unguardedDeletes(buildHistory(readAuditedRequests(log.log), { accounts: [account] })).map(({ message }) => message);

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

const breaking = [
  { reason: "no precondition", log: deleting().deleteTarget(), why: `${psi}no uid precondition` },
  {
    reason: "a resourceVersion without a uid",
    log: deleting().deleteTarget({ resourceVersion: "9" }),
    why: `${psi}no uid precondition`,
  },
  {
    reason: "the uid of another object",
    log: deleting().deleteTarget({ uid: "other" }),
    why: `${psi}no item reviewed the deletion of this uid`,
  },
  {
    reason: "an item that applies",
    log: new AuditLogBuilder().startPlan().deleteTarget({ uid: "target-uid" }),
    why: `${psi}no item reviewed the deletion of this uid`,
  },
  {
    reason: "a Namespace",
    log: deleting().deleteTarget(
      { uid: "target-uid" },
      { objectRef: { resource: "namespaces", name: "openshift-cnv" } },
    ),
    why: "delete namespaces/openshift-cnv: a Namespace is never deleted",
  },
  {
    reason: "a whole collection",
    log: deleting().request({ verb: "deletecollection", objectRef: { resource: "configmaps", namespace: "a" } }),
    why: "deletecollection configmaps/a: a whole collection is deleted",
  },
];

test.each(breaking)("broken: $reason", ({ log, why }) => {
  expect(violationsOf(log)).toEqual([why]);
});
