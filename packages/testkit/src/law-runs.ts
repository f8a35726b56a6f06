// How often laws run: one setting for all of them, LAW_RUNS.

/** Enough to find most mistakes while you write, and quick enough to be run at each save. */
const runsAtHand = 200;
/** What fits into the checks of each change; `make test-laws` runs them 20,000 times. */
const runsInCi = 4_000;
/** However costly: fewer than this say nothing. */
const fewestRuns = 5;

/** LAW_RUNS where it is set, else 4,000 under CI=true, else 200. */
export function lawRuns({ LAW_RUNS, CI }: Readonly<Record<string, string | undefined>> = process.env): number {
  if (LAW_RUNS === undefined || LAW_RUNS === "") return CI === "true" ? runsInCi : runsAtHand;
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
