/** Milliseconds. */
type BackoffLimits = { readonly first: number; readonly most: number };

/** Returns the pause in milliseconds. It starts at `first` and doubles with each failure in a row, up to `most`. */
export function pauseAfter(failures: number, { first, most }: BackoffLimits): number {
  return Math.min(most, first * 2 ** (failures - 1));
}
