// How long a key rests after its failures.

const firstMs = 5;
const capMs = 30_000;
const spread = 0.2;

/**
 * Milliseconds after the `failures`-th failure in a row (1 is the first): 5 ms, doubled each time, give or take 20 %, and
 * never above 30 s. `chance` is in [0, 1).
 */
export function backoffMs(failures: number, chance: number): number {
  const planned = Math.min(capMs, firstMs * 2 ** (failures - 1));
  return Math.min(capMs, planned * (1 - spread + 2 * spread * chance));
}
