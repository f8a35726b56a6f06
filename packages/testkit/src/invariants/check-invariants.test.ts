import { expect, test } from "vitest";
import { AuditLogBuilder, account, item } from "../testing/audit-log-builder.ts";
import { checkInvariants } from "./check-invariants.ts";
import type { HistoryScope } from "./history.ts";

const scope: HistoryScope = { accounts: [account] };
const cleanRun = () => new AuditLogBuilder().renewLease("one").startPlan().applyTarget().completePlan();

const logs = [
  { reason: "a plan that was drafted, approved and applied", log: cleanRun() },
  { reason: "a run without leader election", log: new AuditLogBuilder().startPlan().applyTarget().completePlan() },
  {
    reason: "a config that was never approved",
    log: new AuditLogBuilder().editSpec({}).writeStatus({ phase: "Drafting" }).readConfig(),
  },
  {
    reason: "writes of other clients",
    log: new AuditLogBuilder()
      .applyTarget({ user: { username: "ann" } })
      .deleteTarget(undefined, { user: { username: "ann" } }),
  },
  {
    reason: "dry runs and rejected writes",
    log: new AuditLogBuilder()
      .applyTarget({ query: "?dryRun=All&fieldManager=x" })
      .applyTarget({ responseStatus: { code: 409 } }),
  },
  { reason: "no requests", log: new AuditLogBuilder() },
];

test.each(logs)("holds: $reason", ({ log }) => {
  expect(checkInvariants(log.log, scope).violations).toEqual([]);
});

test("reports a bad write for each invariant, with its time", () => {
  const { violations } = checkInvariants(new AuditLogBuilder().editSpec({ action: "Ignore" }).applyTarget().log, scope);
  expect(violations).toEqual([
    {
      invariant: "I1",
      message: "patch machineconfigs.machineconfiguration.openshift.io/psi: no plan names this object",
      at: "2026-01-01T00:00:00.001Z",
    },
  ]);
});

test("counts effective writes per object", () => {
  const { writes } = checkInvariants(
    cleanRun()
      .applyTarget()
      .applyTarget({ query: "?dryRun=All&fieldManager=x" })
      .applyTarget({ responseStatus: { code: 500 } })
      .applyTarget({ user: { username: "ann" } })
      .applyTarget({ requestObject: [{ op: "remove", path: "/spec" }] })
      .deleteTarget({ uid: "target-uid" })
      .request({ verb: "create", objectRef: { resource: "configmaps", namespace: "default", name: "one" } })
      .request({ verb: "create", objectRef: { apiGroup: "authorization.k8s.io", resource: "subjectaccessreviews" } })
      .log,
    scope,
  );
  const none = { creates: 0, applies: 0, updates: 0, deletes: 0 };
  expect(writes).toEqual({
    "leases.coordination.k8s.io/8f83cc6e.kubevirt.io": { ...none, updates: 1 },
    "virtplatformconfigs.advisor.kubevirt.io/load-aware-rebalancing/status": { ...none, updates: 5 },
    "machineconfigs.machineconfiguration.openshift.io/psi": { ...none, applies: 2, updates: 1, deletes: 1 },
    "configmaps/default/one": { ...none, creates: 1 },
  });
});

test("rejects a log without the required bodies", () => {
  const builder = new AuditLogBuilder().editSpec({});
  const log = builder.log.map(({ responseObject: _body, ...event }) => event);
  expect(() => checkInvariants(log, scope)).toThrow(
    "the audit log has no body of update virtplatformconfigs/load-aware-rebalancing",
  );
});

test("accepts answers in another order than the writes", () => {
  const { log } = cleanRun();
  const swapped = log.toSpliced(2, 2, ...log.slice(2, 4).toReversed());
  expect(checkInvariants(swapped, scope).violations).toEqual([]);
});

test("reads a log of 50,000 lines", () => {
  const log = new AuditLogBuilder().renewLease("one");
  for (let round = 0; round < 2_000; round++) log.renewLease("one").readConfig().readConfig().advance(1_000);
  log.startPlan();
  for (let round = 0; round < 40_000; round++)
    log.request({ verb: "get", objectRef: { resource: "nodes", name: item.name } });
  log.renewLease("one").readConfig().applyTarget().completePlan();
  expect(checkInvariants(log.log, scope).violations).toEqual([]);
});
