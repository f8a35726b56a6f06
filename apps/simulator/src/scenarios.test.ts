import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { scenarios } from "./scenarios.ts";

test("the README lists every scenario", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  expect([...scenarios.keys()].filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});
