import { expect, test } from "vitest";
import { pauseAfter } from "./backoff.ts";

test("the back-off doubles up to its limit", () => {
  const pauses = [1, 2, 3, 4, 5, 6, 50, 5_000].map((failures) => pauseAfter(failures, { first: 1_000, most: 30_000 }));
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});
