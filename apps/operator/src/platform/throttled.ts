// Objects whose writes wait for the rate: worth a word once, until all of it is there again.

import { type Bucket, fullBucket, isFull } from "@virt/engine";
import type { Kept } from "./acting.ts";
import { type Told, warning } from "./tell.ts";

export type Throttling = {
  /** By object, the bucket that was left when it was last looked at. */
  readonly throttled: Map<string, Bucket>;
  readonly bucket: Bucket | undefined;
  readonly now: number;
};

export function throttledNews(key: string, kept: Kept, { throttled, bucket, now }: Throttling): readonly Told[] {
  const isWaiting = kept.kind === "verdict" && kept.verdict.kind === "wait" && kept.verdict.why === "throttled";
  if (!isWaiting && isFull(throttled.get(key) ?? fullBucket, now)) {
    throttled.delete(key);
    return [];
  }
  throttled.set(key, bucket ?? fullBucket);
  return warning("Throttled", `Update throttled for ${key} (limit: 10 updates per 1m0s)`);
}
