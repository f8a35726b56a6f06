// The pause before the next attempt.

/** Milliseconds. */
type BackoffLimits = { readonly first: number; readonly most: number };

/** Returns the pause in milliseconds after this many failures in a row, which doubles from `first` up to `most`. */
export function pauseAfter(failures: number, { first, most }: BackoffLimits): number {
  return Math.min(most, first * 2 ** (failures - 1));
}
