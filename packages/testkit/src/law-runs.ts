/** The default number of runs, which finds most mistakes within seconds. `make test-all` uses 4,000, `make test-laws` 20,000. */
const defaultRuns = 200;
/** The minimum number of runs, however expensive they are. */
const fewestRuns = 5;

/** Returns LAW_RUNS, or 200 if it is not set. */
export function lawRuns({ LAW_RUNS }: Readonly<Record<string, string | undefined>> = process.env): number {
  if (LAW_RUNS === undefined || LAW_RUNS === "") return defaultRuns;
  const runs = Number(LAW_RUNS);
  if (!Number.isInteger(runs) || runs < 1) throw new Error(`LAW_RUNS must be a positive integer, not ${LAW_RUNS}`);
  return runs;
}

/** Divides the runs by `cost`, for `fc.assert`. At a cost of 1, 20,000 runs take about a second. */
export function runsForCost(cost: number): { readonly numRuns: number } {
  return { numRuns: Math.max(fewestRuns, Math.ceil(lawRuns() / cost)) };
}
