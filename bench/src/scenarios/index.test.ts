import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { scenarios } from "./index.ts";

test("every file of the folder is a scenario of that name in the index", () => {
  const files = globSync(inRepository("bench", "src", "scenarios", "*.ts")).map((file) => basename(file, ".ts"));
  const expected = files.filter((name) => name !== "index" && !name.endsWith(".test"));
  expect(scenarios.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
});

test("every peer that a figure names is in peers.json", () => {
  const peers = JSON.parse(readFileSync(inRepository("bench", "peers.json"), "utf8")) as object;
  const named = scenarios.flatMap(({ figures }) => figures.flatMap(({ peer }) => peer ?? []));
  expect(Object.keys(peers)).toEqual(expect.arrayContaining(named));
});

test("no two figures of a scenario share a name", () => {
  for (const { figures } of scenarios) expect(new Set(figures.map(({ name }) => name)).size).toBe(figures.length);
});
