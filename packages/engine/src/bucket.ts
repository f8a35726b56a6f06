// A token bucket as arithmetic: the shell keeps the bucket and the clock. Times are milliseconds.

/** One token comes back every refillMs. */
export type Rate = {
  readonly capacity: number;
  readonly refillMs: number;
  /** What is done costs as many; one where nothing is said. */
  readonly tokens?: number;
};

/** Full from this time on; each token taken moves it by one refill. */
export type Bucket = { readonly fullAt: number };

export type Take = { readonly granted: boolean; readonly bucket: Bucket; readonly retryInMs: number };

export const fullBucket: Bucket = { fullAt: Number.NEGATIVE_INFINITY };

/** Not granted: the bucket stays as it is, and retryInMs says when the tokens will be there. */
export function take(bucket: Bucket, { capacity, refillMs, tokens = 1 }: Rate, now: number): Take {
  // A clock that went back must not make anybody wait for longer than an empty bucket does.
  const fullAt = Math.min(Math.max(bucket.fullAt, now), now + capacity * refillMs);
  const after = fullAt + tokens * refillMs;
  const missing = after - now - capacity * refillMs;
  if (missing > 0) return { granted: false, bucket: { fullAt }, retryInMs: missing };
  return { granted: true, bucket: { fullAt: after }, retryInMs: 0 };
}

/** It is like one that was never used. */
export function isFull(bucket: Bucket, now: number): boolean {
  return bucket.fullAt <= now;
}
