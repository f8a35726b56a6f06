// Bounds what strangers can make us ask the API server.

import { type Bucket, fullBucket, take } from "@virt/engine";

const rates = {
  /** From one address, so that one client cannot use up what is there for all. */
  each: { capacity: 10, refillMs: 500 },
  all: { capacity: 50, refillMs: 100 },
};

export type LookupLimit = { readonly all: Bucket; readonly each: ReadonlyMap<string, Bucket> };

export const noLookups: LookupLimit = { all: fullBucket, each: new Map() };

/** 0: granted. Else nothing was taken, and it is worth another try after that many milliseconds. */
export function takeLookup(
  was: LookupLimit,
  address: string,
  now: number,
): { readonly limit: LookupLimit; readonly retryInMs: number } {
  const own = take(was.each.get(address) ?? fullBucket, rates.each, now);
  const all = take(was.all, rates.all, now);
  if (!own.granted || !all.granted) return { limit: was, retryInMs: Math.max(own.retryInMs, all.retryInMs) };
  const each = new Map([...was.each].filter(([, { fullAt }]) => fullAt > now)).set(address, own.bucket);
  return { limit: { all: all.bucket, each }, retryInMs: 0 };
}
