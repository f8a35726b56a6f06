import { expect, test } from "vitest";
import { checkInvariants } from "./check-invariants.ts";
import type { Scope } from "./history.ts";
import { account, item, Story } from "./story.ts";

const scope: Scope = { accounts: [account] };
const innocent = () => new Story().lease("one").begun().apply().done();

const stories = [
  { reason: "a plan that was drafted, reviewed, approved and applied", story: innocent() },
  { reason: "a run without leader election", story: new Story().begun().apply().done() },
  { reason: "a config that nobody ever approved", story: new Story().edit({}).status({ phase: "Drafting" }).read() },
  {
    reason: "writes of others",
    story: new Story().apply({ user: { username: "ann" } }).remove(undefined, { user: { username: "ann" } }),
  },
  {
    reason: "dry runs and refused writes",
    story: new Story().apply({ query: "?dryRun=All&fieldManager=x" }).apply({ responseStatus: { code: 409 } }),
  },
  { reason: "nothing at all", story: new Story() },
];

test.each(stories)("innocent: $reason", ({ story }) => {
  expect(checkInvariants(story.log, scope).violations).toEqual([]);
});

test("one guilty write is reported by every invariant that it breaks, and says where to look", () => {
  const { violations } = checkInvariants(new Story().edit({ action: "Ignore" }).apply().log, scope);
  expect(violations).toEqual([
    {
      invariant: "I1",
      message: "patch machineconfigs.machineconfiguration.openshift.io/psi: no plan names this object",
      at: "2026-01-01T00:00:00.001Z",
    },
  ]);
});

test("each object's writes are counted, with the no-ops and without dry runs, failures, reads and other accounts", () => {
  const { writes } = checkInvariants(
    innocent()
      .apply()
      .apply({ query: "?dryRun=All&fieldManager=x" })
      .apply({ responseStatus: { code: 500 } })
      .apply({ user: { username: "ann" } })
      .apply({ requestObject: [{ op: "remove", path: "/spec" }] })
      .remove({ uid: "target-uid" })
      .tell({ verb: "create", objectRef: { resource: "configmaps", namespace: "default", name: "one" } })
      .tell({ verb: "create", objectRef: { apiGroup: "authorization.k8s.io", resource: "subjectaccessreviews" } }).log,
    scope,
  );
  const none = { creates: 0, applies: 0, updates: 0, deletes: 0 };
  expect(writes).toEqual({
    "leases.coordination.k8s.io/8f83cc6e.kubevirt.io": { ...none, updates: 1 },
    "virtplatformconfigs.advisor.kubevirt.io/load-aware/status": { ...none, updates: 5 },
    "machineconfigs.machineconfiguration.openshift.io/psi": { ...none, applies: 2, updates: 1, deletes: 1 },
    "configmaps/default/one": { ...none, creates: 1 },
  });
});

test("a log without the bodies that are needed is a fault, not a clean bill", () => {
  const story = new Story().edit({});
  const log = story.log.map(({ responseObject: _body, ...event }) => event);
  expect(() => checkInvariants(log, scope)).toThrow(
    "the audit log has no body of update virtplatformconfigs/load-aware",
  );
});

test("answers that come in another order than the writes change nothing", () => {
  const { log } = innocent();
  const swapped = log.toSpliced(2, 2, ...log.slice(2, 4).toReversed());
  expect(checkInvariants(swapped, scope).violations).toEqual([]);
});

test("a log of fifty thousand lines is read in one go", () => {
  const story = new Story().lease("one");
  for (let round = 0; round < 2_000; round++) story.lease("one").read().read().pass(1_000);
  story.begun();
  for (let round = 0; round < 40_000; round++)
    story.tell({ verb: "get", objectRef: { resource: "nodes", name: item.name } });
  story.lease("one").read().apply().done();
  expect(checkInvariants(story.log, scope).violations).toEqual([]);
});
