import fc from "fast-check";
import { expect, test } from "vitest";
import { provideGroupBy } from "./group-by.ts";

const provided: { groupBy?: typeof Map.groupBy } = {};
provideGroupBy(provided);

test("groups as Map.groupBy of later Nodes does", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 })), (numbers) => {
      const keyOf = (item: number, index: number) => (item + (index % 2)) % 3;
      expect(provided.groupBy?.(numbers, keyOf)).toEqual(Map.groupBy(numbers, keyOf));
    }),
  );
});

test("leaves Map.groupBy alone where Node has it", () => {
  const there = { groupBy: () => new Map() };
  const kept = { ...there };
  provideGroupBy(kept);
  expect(kept).toEqual(there);
});
