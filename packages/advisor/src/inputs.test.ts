import { expect, test } from "vitest";
import { areInputsBack, movedSinceApplied, movedSinceDrafted, recordAppliedInputs } from "./inputs.ts";
import type { ObservedInput } from "./observed.ts";
import { input } from "./testing/observed-fixtures.ts";

const without = (field: "used" | "applied", given: Partial<ObservedInput> = {}): ObservedInput => {
  const { [field]: _left, ...rest } = input();
  return { ...rest, ...given };
};

const rows: readonly { reason: string; seen: ObservedInput; applied: boolean; drafted: boolean; back: boolean }[] = [
  { reason: "as it was", seen: input(), applied: false, drafted: false, back: true },
  { reason: "moved", seen: input({ now: "10" }), applied: true, drafted: true, back: false },
  { reason: "unreadable", seen: input({ now: undefined }), applied: false, drafted: false, back: false },
  {
    reason: "as drafted, not as applied",
    seen: input({ used: "10", now: "10" }),
    applied: true,
    drafted: false,
    back: false,
  },
  { reason: "as applied, not as drafted", seen: input({ used: "10" }), applied: false, drafted: true, back: true },
  { reason: "never applied", seen: without("applied", { now: "10" }), applied: true, drafted: true, back: false },
  { reason: "never used", seen: without("used"), applied: false, drafted: false, back: true },
];

test.each(rows)("8: an input $reason", ({ seen, applied, drafted, back }) => {
  expect(movedSinceApplied([seen])).toEqual(applied ? [seen] : []);
  expect(movedSinceDrafted([seen])).toEqual(drafted ? [seen] : []);
  expect(areInputsBack([seen])).toBe(back);
});

test("8: nothing is back where there is nothing", () => {
  expect(areInputsBack([])).toBe(false);
});

test("8: the first that moved is named first", () => {
  const moved = [input({ name: "a", now: "1" }), input({ name: "b", now: "2" })];
  expect(movedSinceApplied([input(), ...moved])).toEqual(moved);
});

test("8: what a finished plan used is in force, or what it wrote itself", () => {
  const records = [{ name: "a", used: "1", applied: "0" }, { name: "b", used: "1" }, { name: "c" }];
  expect(recordAppliedInputs(records, [input({ name: "b", planned: "2" })])).toEqual([
    { name: "a", used: "1", applied: "1" },
    { name: "b", used: "1", applied: "2" },
    { name: "c" },
  ]);
});
