import fc from "fast-check";
import { expect, test } from "vitest";
import { provideGroupBy } from "./group-by.ts";

const provided: { groupBy?: typeof Map.groupBy } = {};
provideGroupBy(provided);

test("groups like Map.groupBy of later Node releases", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 })), (numbers) => {
      const keyOf = (item: number, index: number) => (item + (index % 2)) % 3;
      expect(provided.groupBy?.(numbers, keyOf)).toEqual(Map.groupBy(numbers, keyOf));
    }),
  );
});

test("does not replace a built-in Map.groupBy", () => {
  const there = { groupBy: () => new Map() };
  const kept = { ...there };
  provideGroupBy(kept);
  expect(kept).toEqual(there);
});
