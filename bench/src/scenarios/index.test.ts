import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { scenarios } from "./index.ts";

test("the index has every scenario file under its name", () => {
  const files = globSync(inRepository("bench", "src", "scenarios", "*.ts")).map((file) => basename(file, ".ts"));
  const expected = files.filter((name) => name !== "index" && !name.endsWith(".test"));
  expect(scenarios.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
});

test("peers.json has every peer of a figure", () => {
  const peers = JSON.parse(readFileSync(inRepository("bench", "peers.json"), "utf8")) as object;
  const named = scenarios.flatMap(({ figures }) => figures.flatMap(({ peer }) => peer ?? []));
  expect(Object.keys(peers)).toEqual(expect.arrayContaining(named));
});

test("figures of a scenario have different names", () => {
  for (const { figures } of scenarios) expect(new Set(figures.map(({ name }) => name)).size).toBe(figures.length);
});
