import { expect, test } from "vitest";
import { areInputsBack, movedSinceApplied, movedSinceDrafted, recordAppliedInputs } from "./inputs.ts";
import type { ObservedInput } from "./observed.ts";
import { input } from "./testing/observed-fixtures.ts";

const without = (field: "used" | "applied", given: Partial<ObservedInput> = {}): ObservedInput => {
  const { [field]: _left, ...rest } = input();
  return { ...rest, ...given };
};

const rows: readonly { reason: string; seen: ObservedInput; applied: boolean; drafted: boolean; back: boolean }[] = [
  { reason: "is unchanged", seen: input(), applied: false, drafted: false, back: true },
  { reason: "changed", seen: input({ now: "10" }), applied: true, drafted: true, back: false },
  { reason: "is unreadable", seen: input({ now: undefined }), applied: false, drafted: false, back: false },
  {
    reason: "changed since it was applied, not since the draft",
    seen: input({ used: "10", now: "10" }),
    applied: true,
    drafted: false,
    back: false,
  },
  {
    reason: "changed since the draft, and is back to the applied value",
    seen: input({ used: "10" }),
    applied: false,
    drafted: true,
    back: true,
  },
  { reason: "was never applied", seen: without("applied", { now: "10" }), applied: true, drafted: true, back: false },
  { reason: "was never used", seen: without("used"), applied: false, drafted: false, back: true },
];

test.each(rows)("an input $reason", ({ seen, applied, drafted, back }) => {
  expect(movedSinceApplied([seen])).toEqual(applied ? [seen] : []);
  expect(movedSinceDrafted([seen])).toEqual(drafted ? [seen] : []);
  expect(areInputsBack([seen])).toBe(back);
});

test("without inputs, none is back", () => {
  expect(areInputsBack([])).toBe(false);
});

test("lists changed inputs in order", () => {
  const moved = [input({ name: "a", now: "1" }), input({ name: "b", now: "2" })];
  expect(movedSinceApplied([input(), ...moved])).toEqual(moved);
});

test("a finished plan records used and written inputs as applied", () => {
  const records = [{ name: "a", used: "1", applied: "0" }, { name: "b", used: "1" }, { name: "c" }];
  expect(recordAppliedInputs(records, [input({ name: "b", planned: "2" })])).toEqual([
    { name: "a", used: "1", applied: "1" },
    { name: "b", used: "1", applied: "2" },
    { name: "c" },
  ]);
});
