import type { Item, Status } from "@virt/api";
import { describe, expect, test } from "vitest";
import { findDriftSuspects } from "./drift.ts";
import { reviewedNow } from "./hashes.ts";
import { observe } from "./observe.ts";
import { inputObject, kernelObject, reconcileFacts, storedObject } from "./testing/facts-fixtures.ts";
import { doneItem, drift, generation, psi, removal } from "./testing/observed-fixtures.ts";
import { machineTarget, mapTarget, need, smallProfile } from "./testing/small-profile.ts";

const settings = storedObject(mapTarget, { data: { size: "s-5" } });
const desiredState = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { size: "s-5" } };
const { rollout: _none, ...mapItem } = doneItem(
  psi({ name: "settings", targetRef: mapTarget, managedFields: ["data"], desiredState }),
);
const stored: Item = { ...mapItem, reviewed: reviewedNow(mapItem, settings) };
const status = (items: readonly Item[] = [stored]): Status => ({ phase: "Completed", items });
const none = new Map();

test("a config without status is observed as empty", () => {
  expect(observe(reconcileFacts(), none)).toMatchObject({ generation, stored: {}, items: [], impact: "High" });
});

test("each item is observed with its target", () => {
  const observed = observe(reconcileFacts({ status: status(), objects: [settings] }), new Map([["settings", drift()]]));
  expect(observed.items).toMatchObject([
    { isStale: false, drift: drift(), current: stored.reviewed, pools: [], inSyncMessage: "Applied successfully" },
  ]);
  expect(observe(reconcileFacts({ status: status() }), none).items[0]?.isStale).toBe(true);
});

describe("the message of an item in sync", () => {
  const { appliedTime: _applied, ...unapplied } = stored;
  const rows: readonly (readonly [string, Item, string])[] = [
    ["says that an applied item was applied", stored, "Applied successfully"],
    ["says that an unapplied item was already in place", unapplied, "Already in desired state"],
    ["says that a removed item was deleted", { ...doneItem(removal()), targetRef: mapTarget }, "Deleted successfully"],
  ];
  test.each(rows)("%s", (_reason, item, message) => {
    const observed = observe(reconcileFacts({ status: status([item]), objects: [settings] }), none);
    expect(observed.items[0]?.inSyncMessage).toBe(message);
  });

  const skipped: Item = { ...unapplied, changes: false, reviewed: reviewedNow(mapItem, undefined) };

  test("is the profile's own for a skipped item, also after drift", () => {
    const plan: typeof smallProfile.plan = (given, facts) =>
      smallProfile.plan(given, facts).map((item) => ({ ...item, isSkipped: true, message: "already effective" }));
    const items = [{ ...skipped, message: "Configuration has drifted from desired state: x" }];
    const observed = observe(reconcileFacts({ status: status(items), profile: { ...smallProfile, plan } }), none);
    expect(observed.items[0]?.inSyncMessage).toBe("already effective");
  });
});

describe("a plan is blocked by", () => {
  test("an unknown profile", () => {
    const { profile: _profile, ...facts } = reconcileFacts({ spec: { profile: "p" } });
    expect(observe({ ...facts, profile: undefined }, none).blocked).toEqual({
      kind: "missing",
      message: 'Profile not found: profile "p" not found',
    });
  });

  test("a profile that the operator's flags disable", () => {
    const facts = reconcileFacts({ spec: { profile: "p" } });
    expect(observe({ ...facts, profile: undefined, isProfileDisabled: true }, none).blocked).toEqual({
      kind: "missing",
      message: 'Profile disabled: to use profile "p", start the operator with --example-profile',
      next: "install config/example-profile, which adds the flag and its permissions, or delete this VirtPlatformConfig",
    });
  });

  test("missing prerequisites, one per line", () => {
    const other = { ...need, kind: "Gadget", shown: "gadgets.io.v2", remedy: "Buy it" };
    const profile = { ...smallProfile, needs: () => [need, other] };
    expect(observe(reconcileFacts({ profile, isServed: () => false }), none).blocked).toEqual({
      kind: "missing",
      message:
        "Missing required dependencies:\n  - Widget (widgets.io.v1): Install it\n  - Gadget (gadgets.io.v2): Buy it\n",
    });
  });

  test("invalid options, before a missing namespace", () => {
    const spec = { options: { small: { bad: true } } };
    const blocked = observe(reconcileFacts({ spec, missingNamespace: "ns" }), none).blocked;
    expect(blocked).toEqual({ kind: "other", message: "Invalid config: bad" });
    expect(observe(reconcileFacts({ missingNamespace: "ns" }), none).blocked?.message).toBe(
      "Namespace 'ns' does not exist",
    );
  });

  test("nothing by default", () => {
    expect(observe(reconcileFacts(), none).blocked).toBeUndefined();
  });
});

test("describes an input change from the applied value, or the used one", () => {
  const seen = (record: object) =>
    observe(reconcileFacts({ status: { inputs: [{ name: "limit", ...record }] } }), none).inputs;
  expect(seen({ used: "3", applied: "4" })).toMatchObject([
    { now: "5", used: "3", applied: "4", moved: "limit changed (4 -> 5)" },
  ]);
  expect(seen({ used: "3" })).toMatchObject([{ moved: "limit changed (3 -> 5)" }]);
});

describe("drift is suspected", () => {
  const names = (items: readonly Item[], objects = [settings]) =>
    findDriftSuspects(reconcileFacts({ status: status(items), objects: [...objects, inputObject] })).map(
      ({ item }) => item.name,
    );

  test("only if a desired value is missing", () => {
    expect(names([stored])).toEqual([]);
    expect(names([stored], [storedObject(mapTarget, { data: { size: "x" } })])).toEqual(["settings"]);
    expect(names([stored], [storedObject(mapTarget, { data: { size: "s-5", more: "y" } })])).toEqual([]);
  });

  test("if the target is gone", () => {
    expect(names([stored], [])).toEqual(["settings"]);
  });

  test("in applied and failed items only", () => {
    const states = ["Pending", "InProgress", "Completed", "Failed"] as const;
    const suspected = (item: Item) => states.filter((state) => names([{ ...item, state }], []).length > 0);
    const { appliedTime: _none, ...open } = stored;
    expect(suspected({ ...stored, appliedTime: "2026-01-01T00:00:00Z" })).toEqual([
      "InProgress",
      "Completed",
      "Failed",
    ]);
    expect(suspected(open)).toEqual(["Completed", "Failed"]);
  });

  test("of a removal if our object is back", () => {
    const gone: Item = { ...doneItem(removal()), targetRef: machineTarget };
    expect(names([gone], [])).toEqual([]);
    expect(names([gone], [kernelObject()])).toEqual(["disable-psi-metrics"]);
    expect(names([gone], [kernelObject("a=1", "kubectl")])).toEqual([]);
  });
});
