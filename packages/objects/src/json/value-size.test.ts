import { expect, test } from "vitest";
import { exceedsBytes, overLimit } from "./value-size.ts";

test("a value exceeds a limit by its texts, keys or structure", () => {
  expect(exceedsBytes({ key: ["a", "b"] }, 40)).toBe(false);
  expect(exceedsBytes({ key: ["a", "b".repeat(40)] }, 40)).toBe(true);
  expect(exceedsBytes({ ["k".repeat(50)]: 1 }, 40)).toBe(true);
  expect(
    exceedsBytes(
      Array.from({ length: 100 }, () => null),
      40,
    ),
  ).toBe(true);
  expect([exceedsBytes(undefined, 40), exceedsBytes(overLimit, 40)]).toEqual([false, true]);
});
