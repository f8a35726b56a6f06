import fc from "fast-check";
import { expect, test } from "vitest";
import { type Bucket, type BucketRate, fullBucket, isFull, takeToken } from "./edit-war.ts";

const rate: BucketRate = { capacity: 10, refillMs: 6000 };

const takeMany = (count: number, bucket: Bucket, now: number): Bucket =>
  Array.from({ length: count }).reduce<Bucket>((left) => takeToken(left, rate, now).bucket, bucket);

test("grants ten at once, and the next when a token is back", () => {
  const empty = takeMany(10, fullBucket, 0);
  expect(takeToken(takeMany(9, fullBucket, 0), rate, 0)).toEqual({ granted: true, bucket: empty, retryInMs: 0 });
  expect(takeToken(empty, rate, 0)).toEqual({ granted: false, bucket: empty, retryInMs: 6000 });
  expect(takeToken(empty, rate, 5999).retryInMs).toBe(1);
  expect(takeToken(empty, rate, 6000).granted).toBe(true);
});

test("fills up to its capacity", () => {
  const empty = takeMany(10, fullBucket, 0);
  expect(isFull(empty, 59_999)).toBe(false);
  expect(isFull(empty, 60_000)).toBe(true);
  expect(takeToken(takeMany(10, empty, 1_000_000), rate, 1_000_000).granted).toBe(false);
});

test("a clock that is set back causes at most the longest wait", () => {
  expect(takeToken(takeMany(3, fullBucket, 1e12), rate, 0)).toMatchObject({ granted: false, retryInMs: 6000 });
});

const anyRate = fc.record({ capacity: fc.integer({ min: 1, max: 5 }), refillMs: fc.integer({ min: 1, max: 100 }) });
const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(300)), { maxLength: 25 });

test("grants at most the capacity plus refilled tokens in any window", () => {
  const law = fc.property(anyRate, pauses, (rate, pauses) => {
    const granted: number[] = [];
    let bucket = fullBucket;
    let now = 0;
    for (const pause of pauses) {
      now += pause;
      const taken = takeToken(bucket, rate, now);
      bucket = taken.bucket;
      if (taken.granted) granted.push(now);
    }
    return granted.every((from, first) =>
      granted.slice(first).every((to, count) => count + 1 <= rate.capacity + Math.floor((to - from) / rate.refillMs)),
    );
  });
  fc.assert(law);
});

test("grants a token exactly after the reported wait", () => {
  const law = fc.property(anyRate, pauses, (rate, pauses) => {
    let bucket = fullBucket;
    let now = 0;
    return pauses.every((pause) => {
      now += pause;
      const taken = takeToken(bucket, rate, now);
      bucket = taken.bucket;
      if (taken.granted) return taken.retryInMs === 0;
      const isLater = takeToken(bucket, rate, now + taken.retryInMs).granted;
      return isLater && taken.retryInMs > 0 && !takeToken(bucket, rate, now + taken.retryInMs - 1).granted;
    });
  });
  fc.assert(law);
});

test("grants several tokens when all are available", () => {
  const rate = { capacity: 3, refillMs: 10, tokens: 2 };
  const first = takeToken(fullBucket, rate, 0);
  expect(first.granted).toBe(true);
  expect(takeToken(first.bucket, rate, 0)).toMatchObject({ granted: false, retryInMs: 10 });
  expect(takeToken(first.bucket, rate, 10).granted).toBe(true);
});
