import { expect, test } from "vitest";
import { shortList } from "./drift.ts";

test("shows three names and the number of others", () => {
  expect(shortList([])).toBe("");
  expect(shortList(["a"])).toBe("a");
  expect(shortList(["a", "b", "c"])).toBe("a, b, c");
  expect(shortList(["a", "b", "c", "d", "e"])).toBe("a, b, c and 2 more");
});
