import { expect, test } from "vitest";
import { pauseAfter } from "./follow-kind.ts";

test("a list that keeps failing is asked for less and less often", () => {
  expect([0, 1, 2, 3, 4, 5, 50].map(pauseAfter)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});
