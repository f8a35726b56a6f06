import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { slowest } from "./slowest-first.ts";

test("every listed file exists", () => {
  expect(slowest.filter((file) => !existsSync(file))).toEqual([]);
});
