import type { Item } from "@virt/api";
import { equalDiff } from "@virt/objects";
import { describe, expect, test } from "vitest";
import { conditionOf } from "../conditions/status-conditions.ts";
import { itemMessages } from "../items.ts";
import type { Observed, ObservedItem } from "../observed.ts";
import {
  begunItem,
  deschedulerItem,
  examplePlanHash,
  generation,
  type ObservedOverrides,
  observedItem,
  observedWith,
  psi,
  removal,
  secondsAgo,
} from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";
import { type ItemResult, recordItemResult } from "./execute.ts";

function done(item: Item, done: ItemResult, given: ObservedOverrides = {}, rest: readonly ObservedItem[] = []) {
  const observed: Observed = observedWith("InProgress", { ...given, items: [observedItem(begunItem(item)), ...rest] });
  const { effect } = transition(observed);
  if (effect === undefined) throw new Error("nothing was to be done");
  return { seen: observed, decision: recordItemResult(observed, effect.item, done) };
}

describe("a confirmed write", () => {
  test.each([
    ["completes an object", deschedulerItem(), "Completed", itemMessages.applied],
    ["keeps a MachineConfig in progress for its rollout", psi(), "InProgress", itemMessages.applying],
    ["keeps a removed MachineConfig in progress for its rollout", removal(), "InProgress", itemMessages.deleting],
    [
      "completes a removed object",
      { ...removal(), targetRef: deschedulerItem().targetRef },
      "Completed",
      itemMessages.deleted,
    ],
  ] as const)("%s", (_reason, item, state, message) => {
    const { status } = done(item, { kind: "confirmed" }).decision;
    const diff = equalDiff(item.targetRef);
    expect(status.items?.[0]).toMatchObject({ state, message, diff, appliedTime: secondsAgo(0) });
    expect(status.phase).toBe("InProgress");
  });

  test("records the next item without applying it", () => {
    const { decision } = done(deschedulerItem(), { kind: "confirmed" }, {}, [observedItem(psi())]);
    expect(decision.effect).toBeUndefined();
    expect(decision.status.items?.map(({ state }) => state)).toEqual(["Completed", "InProgress"]);
    expect(decision.requeue).toEqual({ when: "at-once" });
  });

  test("does not complete the plan before all targets are observed", () => {
    const { decision } = done(deschedulerItem(), { kind: "confirmed" });
    expect(decision.status.phase).toBe("InProgress");
    expect(decision.requeue).toEqual({ when: "at-once" });
  });
});

describe("a rejected write", () => {
  const rejected: ItemResult = { kind: "rejected", message: "spec.mode: Unsupported value" };

  test("fails an Abort plan, and later items stay pending", () => {
    const { status } = done(deschedulerItem(), rejected, {}, [observedItem(psi())]).decision;
    expect(status.phase).toBe("Failed");
    expect(status.items?.map(({ state }) => state)).toEqual(["Failed", "Pending"]);
    expect(status.items?.[0]?.message).toBe("Failed to apply: spec.mode: Unsupported value");
    expect(conditionOf(status, "Failed")?.message).toBe(
      "Item 'enable-load-aware-descheduling' failed: spec.mode: Unsupported value",
    );
  });

  test("does not stop a Continue plan", () => {
    const given = { spec: { failurePolicy: "Continue" } } as const;
    const { status } = done(deschedulerItem(), rejected, given, [observedItem(psi())]).decision;
    expect(status.phase).toBe("InProgress");
    expect(status.items?.map(({ state }) => state)).toEqual(["Failed", "InProgress"]);
  });

  test("reports that a removal failed", () => {
    const { status } = done(removal(), rejected).decision;
    expect(status.items?.[0]?.message).toBe("Failed to delete: spec.mode: Unsupported value");
  });
});

test("a stale target is not a failure, and a new plan waits", () => {
  const { status } = done(psi(), { kind: "stale" }).decision;
  expect(status).toMatchObject({
    phase: "Drafting",
    review: { planHash: examplePlanHash, generation, forced: true, reason: "PlanStale" },
  });
  expect(conditionOf(status, "PlanStale")?.status).toBe("True");
});

test("a missing namespace is a missing prerequisite", () => {
  const { status } = done(psi(), { kind: "blocked", message: "Namespace 'x' does not exist" }).decision;
  expect(conditionOf(status, "PrerequisiteFailed")).toMatchObject({
    status: "True",
    message: "Namespace 'x' does not exist",
  });
});

test("a transient error changes nothing", () => {
  const { seen, decision } = done(psi(), { kind: "unavailable", message: "503", retryInMs: 9 });
  expect(decision).toEqual({ status: seen.stored, requeue: { when: "retry", message: "503", retryInMs: 9 } });
});

test("a config that was edited during the write is reconciled again", () => {
  const { seen, decision } = done(psi(), { kind: "edited" });
  expect(decision).toEqual({ status: seen.stored, requeue: { when: "at-once" } });
});

test.each<ItemResult>([{ kind: "confirmed" }, { kind: "rejected", message: "no" }, { kind: "stale" }])(
  "uses up an approval that arrives during the write: $kind",
  (answer) => {
    const { status } = done(deschedulerItem(), answer, { generation: generation + 1 }).decision;
    expect(status).toMatchObject({ observedGeneration: generation + 1, executedGeneration: generation + 1 });
  },
);
