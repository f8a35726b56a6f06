import type { Item, Phase, Spec, Status } from "@virt/api";
import { digest, targetKey } from "@virt/objects";
import { describe, expect, test } from "vitest";
import { checkPlan, shownDifference } from "./check-plan.ts";
import { composeDraft } from "./compose-draft.ts";
import type { ReconcileFacts } from "./facts.ts";
import { plannedItems } from "./plan.ts";
import { type FactsOverrides, kernelObject, reconcileFacts, storedObject } from "./testing/facts-fixtures.ts";
import { inputRef, mapTarget } from "./testing/small-profile.ts";

/** Returns the facts for a plan that this operator drafted and stored. */
function planned(given: FactsOverrides = {}, change: (status: Status) => Status = (status) => status): ReconcileFacts {
  const facts = reconcileFacts(given);
  const compared = plannedItems(facts).map((one) => {
    const live = facts.live(one.target);
    return { planned: one, live, conflicts: [], ...(one.operation === "Apply" && { predicted: one.desired }) };
  });
  const { items, planHash, disruption, inputs } = composeDraft(facts, compared);
  const status = change({ phase: "InProgress", operatorVersion: "v2", items, planHash, disruption, inputs });
  return reconcileFacts({ statusOrigin: "unknown", ...given, status });
}

/** Computes a version 2 hash, which does not cover the execution settings. */
function earlierHash({ items = [], disruption = [] }: Status): string {
  const hashed = items.map(({ name, operation, targetRef, desiredState, managedFields = [], sourceHash = "" }) => ({
    desired: desiredState ?? null,
    source: sourceHash,
    managedFields,
    name,
    operation,
    target: targetKey(targetRef),
  }));
  const pools = disruption.map(({ pool, class: disruptionClass }) => ({ class: disruptionClass, pool }));
  return digest({ disruption: pools, items: hashed, profile: "small", version: 2 });
}

const onItem =
  (wanted: string, change: Partial<Item>) =>
  (status: Status): Status => ({
    ...status,
    items: (status.items ?? []).map((item) => (item.name === wanted ? { ...item, ...change } : item)),
  });

const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "ns" } };

test("an unchanged plan is intact, also after its items are applied", () => {
  expect(checkPlan(planned())).toEqual({ kind: "intact" });
  const applied = [kernelObject(), { ...storedObject(mapTarget), data: { size: "s-5" } }];
  const { config } = planned();
  const status = { ...config.status, items: config.status?.items?.map((item) => ({ ...item, state: "Completed" })) };
  const later = reconcileFacts({ status: status as Status, objects: applied, statusOrigin: "unknown" });
  expect(checkPlan(later)).toEqual({ kind: "intact" });
});

test("a plan is unchecked until all its sources are read", () => {
  expect(checkPlan(planned({ isForDraft: false }))).toEqual({ kind: "unchecked" });
});

const kernel = { ...kernelObject("init=/bin/evil"), metadata: { name: "99-small" } };
const attacks: readonly (readonly [string, (status: Status) => Status])[] = [
  ["desiredState of item 'kernel' differs", onItem("kernel", { desiredState: kernel })],
  ["managedFields of item 'kernel' differs", onItem("kernel", { managedFields: ["spec"] })],
  ["targetRef of item 'settings' differs", onItem("settings", { targetRef: { ...mapTarget, namespace: "other" } })],
  ["operation of item 'settings' differs", onItem("settings", { operation: "Delete" })],
  ["waitsFor of item 'settings' differs", onItem("settings", { waitsFor: "nothing" })],
  [
    "its items are kernel, but should be kernel, settings",
    ({ items = [], ...rest }) => ({ ...rest, items: items.slice(0, 1) }),
  ],
  ["its content does not match its planHash", (status) => ({ ...status, planHash: "0".repeat(64) })],
  ["its content does not match its planHash", (status) => ({ ...status, disruption: [] })],
  [
    "field reviewed of item 'kernel' differs",
    onItem("kernel", { reviewed: { uid: "u", resourceVersion: "1", hash: "of another" } }),
  ],
];

test.each(attacks)("detects a changed plan: %s", (text, change) => {
  expect(checkPlan(planned({}, change))).toEqual({ kind: "differs", reason: "PlanTampered", text });
});

test("detects changed content even if the planHash matches it", () => {
  const hidden = onItem("settings", { desiredState: { ...settings, data: { size: "evil" } } });
  expect(checkPlan(planned({}, hidden))).toMatchObject({
    kind: "differs",
    text: "desiredState of item 'settings' differs",
  });
});

const moved = [{ ...storedObject(inputRef), data: { limit: "10" } }];

test("reports a changed input even if the status was edited", () => {
  const facts = { ...planned(), facts: { input: moved[0], ownNamespace: "own" } };
  expect(checkPlan(facts)).toEqual({ kind: "differs", reason: "InputChanged", text: "limit changed (5 -> 10)" });
});

test("reports a plan of another operator version", () => {
  const older = planned({}, (status) => ({
    ...onItem("kernel", { managedFields: ["x"] })(status),
    operatorVersion: "v1",
  }));
  expect(checkPlan(older)).toEqual({
    kind: "differs",
    reason: "OperatorUpgraded",
    text: "it was drafted by operator version v1",
  });
});

describe("a plan with the hash of an earlier release", () => {
  const hashedBefore = (phase: Phase, spec: Partial<Spec> = {}) =>
    planned({ spec }, (status) => ({ ...status, phase, planHash: earlierHash(status) }));

  test("is intact while it is in progress", () => {
    expect(checkPlan(hashedBefore("InProgress"))).toEqual({ kind: "intact" });
    expect(checkPlan(hashedBefore("InProgress", { waitTimeout: "1h" }))).toEqual({ kind: "intact" });
  });

  test("needs a new approval by this release", () => {
    expect(checkPlan(hashedBefore("ReviewRequired"))).toEqual({
      kind: "differs",
      reason: "OperatorUpgraded",
      text: "the plan hash now also covers guards, bypassOptimisticLock, failurePolicy and waitTimeout",
    });
  });

  test("is reported if its content was changed", () => {
    const facts = planned({}, (status) =>
      onItem("kernel", { desiredState: kernel })({ ...status, planHash: earlierHash(status) }),
    );
    expect(checkPlan(facts)).toMatchObject({ kind: "differs", reason: "PlanTampered" });
  });
});

test("reports a changed target as a stale plan", () => {
  const facts = planned({}, onItem("kernel", { managedFields: ["x"] }));
  const live = { ...storedObject(mapTarget), data: { size: "mine" } };
  expect(checkPlan({ ...facts, live: () => live })).toMatchObject({ kind: "differs", reason: "PlanStale" });
});

test("a status that only this process wrote was not tampered with", () => {
  const own = planned({ statusOrigin: "own" }, onItem("kernel", { managedFields: ["x"] }));
  expect(checkPlan(own)).toMatchObject({ kind: "differs", reason: "InputChanged" });
});

test("compares the content that a reviewer sees, without context lines", () => {
  const [item] = planned().config.status?.items ?? [];
  if (item === undefined) throw new Error("there is no item");
  const shown = (change: Partial<Item>) => shownDifference([{ ...item, ...change }], [item]);
  const differing = (field: string, reason: string) => ({ reason, text: `${field} of item 'kernel' differs` });
  expect(shown({})).toBeUndefined();
  expect(shown({ diff: `${item.diff} around: it\n@@ -1,1 +1,1 @@\n` })).toBeUndefined();
  expect(shown({ diff: `${item.diff}+more\n` })).toEqual(differing("diff", "PlanTampered"));
  expect(shown({ impactSeverity: "Low" })).toEqual(differing("impactSeverity", "PlanTampered"));
  expect(shown({ changes: false })).toEqual(differing("changes", "PlanTampered"));
  expect(shownDifference([item], [item, item])?.reason).toBe("PlanTampered");
});

test("changed warnings, messages and conflicts make the plan stale, not tampered", () => {
  const [item] = planned().config.status?.items ?? [];
  if (item === undefined) throw new Error("there is no item");
  const conflicts = [{ field: "spec", manager: "bob", operation: "Apply" }] as const;
  for (const change of [{ warnings: ["safe"] }, { message: "other" }, { conflicts }])
    expect(shownDifference([{ ...item, ...change }], [item])?.reason).toBe("PlanStale");
});
