import { globSync, readFileSync } from "node:fs";
import { lawRuns } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";

test("a law runs as often as LAW_RUNS says", () => {
  let runs = 0;
  fc.assert(fc.property(fc.nat(), () => ++runs > 0));
  expect(runs).toBe(lawRuns());
});

test("no law sets its own number of runs", () => {
  const files = globSync(["{packages,apps,bench,catalog,tools,test}/**/*.test.ts"], {
    exclude: ["**/node_modules/**"],
  });
  const owners = files.filter((file) => /assert\([^)]*\{ numRuns:/.test(readFileSync(file, "utf8")));
  expect(owners).toEqual([]);
});
