/** Returns a percentile. `share` is between 0 and 1. Returns NaN if there are no samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export type Spread = { readonly n: number; readonly p50: number; readonly p90: number; readonly p99: number };

export function spreadOf(samples: readonly number[]): Spread {
  const at = (share: number) => percentile(samples, share);
  return { n: samples.length, p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

export type Range = { readonly median: number; readonly min: number; readonly max: number };

export function rangeOf(values: readonly number[]): Range {
  return { median: percentile(values, 0.5), min: percentile(values, 0), max: percentile(values, 1) };
}
