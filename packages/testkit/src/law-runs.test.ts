import { expect, test } from "vitest";
import { lawRuns, runsForCost } from "./law-runs.ts";

test.each([
  { env: {}, runs: 200 },
  { env: { LAW_RUNS: "" }, runs: 200 },
  { env: { LAW_RUNS: "1000" }, runs: 1000 },
])("with $env a law runs $runs times", ({ env, runs }) => {
  expect(lawRuns(env)).toBe(runs);
});

test.each(["many", "0", "-1", "1.5"])("LAW_RUNS=%s is refused", (setting) => {
  expect(() => lawRuns({ LAW_RUNS: setting })).toThrow(`LAW_RUNS must be a positive integer, not ${setting}`);
});

test("a law whose runs cost more takes its share of them, and never none", () => {
  expect(runsForCost(2)).toEqual({ numRuns: Math.ceil(lawRuns() / 2) });
  expect(runsForCost(1e9)).toEqual({ numRuns: 5 });
});
