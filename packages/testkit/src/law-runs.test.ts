import { expect, test } from "vitest";
import { lawRuns, runsForCost } from "./law-runs.ts";

test.each([
  { env: {}, runs: 200 },
  { env: { LAW_RUNS: "" }, runs: 200 },
  { env: { LAW_RUNS: "1000" }, runs: 1000 },
])("with $env, a law runs $runs times", ({ env, runs }) => {
  expect(lawRuns(env)).toBe(runs);
});

test.each(["many", "0", "-1", "1.5"])("rejects LAW_RUNS=%s", (setting) => {
  expect(() => lawRuns({ LAW_RUNS: setting })).toThrow(`LAW_RUNS must be a positive integer, not ${setting}`);
});

test("a costly law runs a share of the times, and at least five", () => {
  expect(runsForCost(2)).toEqual({ numRuns: Math.ceil(lawRuns() / 2) });
  expect(runsForCost(1e9)).toEqual({ numRuns: 5 });
});
