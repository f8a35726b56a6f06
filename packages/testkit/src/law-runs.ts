// How often laws run: one setting for all of them, LAW_RUNS.

/** Finds most mistakes and takes seconds. `make test-all` sets 4,000, `make test-laws` 20,000. */
const defaultRuns = 200;
/** A law that runs less often than this proves nothing, however much a run costs. */
const fewestRuns = 5;

/** Returns LAW_RUNS, or 200 if it is not set. */
export function lawRuns({ LAW_RUNS }: Readonly<Record<string, string | undefined>> = process.env): number {
  if (LAW_RUNS === undefined || LAW_RUNS === "") return defaultRuns;
  const runs = Number(LAW_RUNS);
  if (!Number.isInteger(runs) || runs < 1) throw new Error(`LAW_RUNS must be a positive integer, not ${LAW_RUNS}`);
  return runs;
}

/**
 * For `fc.assert(law, runsForCost(8))`: the setting divided by what one run costs, in runs of a usual law (20,000 of those
 * take about a second). Laws without it run as often as the setting says.
 */
export function runsForCost(cost: number): { readonly numRuns: number } {
  return { numRuns: Math.max(fewestRuns, Math.ceil(lawRuns() / cost)) };
}
