import { expect, test } from "vitest";
import { generation, now, observedWith } from "../testing/observed-fixtures.ts";
import { stamp } from "../times.ts";
import { transition } from "../transition.ts";
import { conditionOf, withRetryingCondition } from "./status-conditions.ts";

const at = { now, generation };

test("reports a lasting transient error and keeps the phase", () => {
  const { stored } = observedWith("Completed");
  const updated = withRetryingCondition(stored, "503", at);
  expect(updated).toMatchObject({ phase: "Completed" });
  expect(updated && conditionOf(updated, "Reconciling")).toEqual({
    type: "Reconciling",
    status: "True",
    reason: "Retrying",
    message: "503",
    lastTransitionTime: stamp(now),
    observedGeneration: generation,
  });
  expect(updated?.conditions?.filter(({ type }) => type !== "Reconciling")).toEqual(
    stored.conditions?.filter(({ type }) => type !== "Reconciling"),
  );
});

test("reports it once, even if the error text changes", () => {
  const updated = withRetryingCondition(observedWith("Completed").stored, "503", at);
  expect(updated && withRetryingCondition(updated, "another 503", at)).toBeUndefined();
});

test("does not report it for a config without status", () => {
  expect(withRetryingCondition({}, "503", at)).toBeUndefined();
});

test("the next decision clears it", () => {
  const observed = observedWith("Completed");
  const updated = withRetryingCondition(observed.stored, "503", at) ?? {};
  const { status } = transition({ ...observed, stored: updated });
  expect(conditionOf(status, "Reconciling")).toMatchObject({ status: "False", reason: "Completed" });
});
