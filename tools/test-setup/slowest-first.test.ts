import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { slowest } from "./slowest-first.ts";

test("every file that is to run first is there", () => {
  expect(slowest.filter((file) => !existsSync(file))).toEqual([]);
});
