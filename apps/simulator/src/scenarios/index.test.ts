import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { scenarios } from "./index.ts";

test("each file in this folder is a scenario in the index", () => {
  const files = readdirSync(import.meta.dirname).filter((file) => !file.startsWith("index"));
  expect([...scenarios.keys()].map((name) => `${name}.ts`).toSorted()).toEqual(files.toSorted());
});
