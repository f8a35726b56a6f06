// A token bucket: lets a burst through, then one at a time.

/** The time at which the bucket is full again; in the past if it is full. */
export type Bucket = { readonly fullAt: number };

/** `burst` at once, then one every `everyMs`. */
export type Rate = { readonly burst: number; readonly everyMs: number };

export type Taken = { readonly isGranted: boolean; readonly bucket: Bucket; readonly retryInMs: number };

export const fullBucket: Bucket = { fullAt: Number.NEGATIVE_INFINITY };

/**
 * Milliseconds on any clock that does not go back. Within any time t at most `burst + t / everyMs` are granted. What was
 * refused costs nothing; after `retryInMs` one is granted.
 */
export function take(bucket: Bucket, { burst, everyMs }: Rate, now: number): Taken {
  const fullAt = Math.max(bucket.fullAt, now);
  const retryInMs = Math.max(0, fullAt - now - (burst - 1) * everyMs);
  if (retryInMs > 0) return { isGranted: false, bucket, retryInMs };
  return { isGranted: true, bucket: { fullAt: fullAt + everyMs }, retryInMs: 0 };
}
