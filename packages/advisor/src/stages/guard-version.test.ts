import { expect, test } from "vitest";
import { conditionOf, upgradeConditions } from "../conditions/status-conditions.ts";
import {
  deschedulerItem,
  doneItem,
  drafted,
  drift,
  examplePlanHash,
  generation,
  input,
  type ObservedOverrides,
  observedItem,
  observedWith,
  otherHash,
  psi,
} from "../testing/observed-fixtures.ts";
import { transition, wantsDraft } from "../transition.ts";

const items = [observedItem(doneItem(psi())), observedItem(doneItem(deschedulerItem()))];
const review = { planHash: examplePlanHash, generation, forced: true, reason: "OperatorUpgraded" } as const;
const old = { operatorVersion: "v1" };
const available = upgradeConditions.available("v1", "v2");
const completed = (given: ObservedOverrides = {}) => observedWith("Completed", { items, stored: old, ...given });
const upgraded = (given: ObservedOverrides = {}) =>
  observedWith("CompletedWithUpgrade", {
    items,
    stored: { ...old, review },
    marks: [available],
    upgrade: "differs",
    ...given,
  });

test("a version with other logic is announced and keeps the plan", () => {
  const observed = completed({ upgrade: "differs" });
  const { status } = transition(observed);
  expect(status).toMatchObject({
    phase: "CompletedWithUpgrade",
    operatorVersion: "v1",
    planHash: examplePlanHash,
    review,
  });
  expect(status.items).toEqual(observed.stored.items);
  expect(conditionOf(status, "CompletedWithUpgrade")?.message).toBe(
    "Operator upgraded from v1 to v2 - profile logic changes detected",
  );
  expect(conditionOf(status, "UpgradeAvailable")).toMatchObject({
    status: "True",
    reason: "LogicChanged",
    message:
      "Operator upgraded from v1 to v2 with profile logic changes. Regenerate plan (action=DryRun) to review proposed changes.",
  });
});

test("a version with the same logic only updates operatorVersion", () => {
  const observed = completed({ upgrade: "same" });
  const before = transition(completed({ stored: { operatorVersion: "v2" } })).status;
  expect(transition(observed).status).toEqual({ ...before, operatorVersion: "v2" });
});

test("a version with the same logic withdraws the announcement", () => {
  const { status } = transition(completed({ upgrade: "same", marks: [available] }));
  expect(conditionOf(status, "UpgradeAvailable")).toMatchObject({
    status: "False",
    reason: "NoLogicChange",
    message: "Operator upgraded but profile logic unchanged",
  });
});

test.each(["Completed", "CompletedWithUpgrade"] as const)("drift and inputs take precedence in %s", (phase) => {
  const given = { upgrade: "differs", stored: { ...old, review } } as const;
  const drifted = [observedItem(doneItem(psi()), { drift: drift() })];
  expect(transition(observedWith(phase, { ...given, items: drifted })).status.phase).toBe("Drifted");
  expect(transition(observedWith(phase, { ...given, items, inputs: [input({ now: "6" })] })).status.phase).toBe(
    "Drafting",
  );
});

test("an announced upgrade waits for the user", () => {
  const { status } = transition(upgraded());
  expect(status).toMatchObject({ phase: "CompletedWithUpgrade", operatorVersion: "v1", review });
});

test("the announcement names the running version", () => {
  const { status } = transition(upgraded({ operator: { version: "v3", mustPin: false } }));
  expect(conditionOf(status, "CompletedWithUpgrade")?.message).toContain("from v1 to v3");
  expect(conditionOf(status, "UpgradeAvailable")?.message).toContain("from v1 to v3");
});

test("an upgrade that the cluster already matches is resolved", () => {
  const observed = upgraded({ upgrade: "aligned" });
  expect(wantsDraft(observed)).toBe(true);
  const draft = drafted([deschedulerItem({ changes: false })], { planHash: otherHash });
  const { status } = transition({ ...observed, draft });
  expect(status).toMatchObject({ phase: "Completed", operatorVersion: "v2", planHash: otherHash });
  expect(status).not.toHaveProperty("review");
  expect(status.items?.map(({ name, state }) => [name, state])).toEqual([[deschedulerItem().name, "Completed"]]);
  expect(conditionOf(status, "UpgradeAvailable")).toMatchObject({
    status: "False",
    reason: "ManuallyAligned",
    message: "Cluster manually aligned with new operator logic - upgrade no longer needed",
  });
});

test("a draft with changes, or none, does not resolve an upgrade", () => {
  expect(transition(upgraded({ upgrade: "aligned", draft: drafted([psi()]) })).status.phase).toBe(
    "CompletedWithUpgrade",
  );
  expect(transition(upgraded({ upgrade: "aligned" })).status.phase).toBe("CompletedWithUpgrade");
});

test("the old version resumes its plan after a downgrade", () => {
  const { upgrade: _upgrade, ...seen } = upgraded({ operator: { version: "v1", mustPin: false } });
  const { status } = transition(seen);
  expect(status).toMatchObject({ phase: "Completed", operatorVersion: "v1" });
  expect(status).not.toHaveProperty("review");
});

test("an upgrade stays announced while nothing can be planned", () => {
  const { upgrade: _upgrade, ...seen } = upgraded({ blocked: { kind: "other", message: "Invalid config: no" } });
  expect(transition(seen).status).toMatchObject({ phase: "CompletedWithUpgrade", operatorVersion: "v1" });
});

test("executing a plan of the running version withdraws the announcement", () => {
  const { status } = transition(observedWith("InProgress", { items, marks: [available] }));
  expect(status.phase).toBe("Completed");
  expect(conditionOf(status, "UpgradeAvailable")).toMatchObject({
    status: "False",
    reason: "Applied",
    message: "Upgrade changes applied",
  });
});
