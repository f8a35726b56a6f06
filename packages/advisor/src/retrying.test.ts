import { expect, test } from "vitest";
import { conditionOf } from "./conditions/read.ts";
import { generation, now, observed } from "./observed-world.ts";
import { retrying } from "./retrying.ts";
import { stamp } from "./stamp.ts";
import { transition } from "./transition.ts";

const at = { now, generation };

test("3.1: a retryable error that lasts is told, and the phase stays", () => {
  const { was } = observed("Completed");
  const told = retrying(was, "503", at);
  expect(told).toMatchObject({ phase: "Completed" });
  expect(told && conditionOf(told, "Reconciling")).toEqual({
    type: "Reconciling",
    status: "True",
    reason: "Retrying",
    message: "503",
    lastTransitionTime: stamp(now),
    observedGeneration: generation,
  });
  expect(told?.conditions?.filter(({ type }) => type !== "Reconciling")).toEqual(
    was.conditions?.filter(({ type }) => type !== "Reconciling"),
  );
});

test("it is told once, whatever words the next error finds", () => {
  const told = retrying(observed("Completed").was, "503", at);
  expect(told && retrying(told, "another 503", at)).toBeUndefined();
});

test("it is not told of a config that nobody looked at", () => {
  expect(retrying({}, "503", at)).toBeUndefined();
});

test("the next decision takes it back", () => {
  const seen = observed("Completed");
  const told = retrying(seen.was, "503", at) ?? {};
  const { status } = transition({ ...seen, was: told });
  expect(conditionOf(status, "Reconciling")).toMatchObject({ status: "False", reason: "Completed" });
});
