import fc from "fast-check";
import { expect, test } from "vitest";
import { type Bucket, type BucketRate, fullBucket, isFull, takeToken } from "./edit-war.ts";

const rate: BucketRate = { capacity: 10, refillMs: 6000 };

const takeMany = (count: number, bucket: Bucket, now: number): Bucket =>
  Array.from({ length: count }).reduce<Bucket>((left) => takeToken(left, rate, now).bucket, bucket);

test("ten are granted at once, the eleventh when a token is back", () => {
  const empty = takeMany(10, fullBucket, 0);
  expect(takeToken(takeMany(9, fullBucket, 0), rate, 0)).toEqual({ granted: true, bucket: empty, retryInMs: 0 });
  expect(takeToken(empty, rate, 0)).toEqual({ granted: false, bucket: empty, retryInMs: 6000 });
  expect(takeToken(empty, rate, 5999).retryInMs).toBe(1);
  expect(takeToken(empty, rate, 6000).granted).toBe(true);
});

test("a bucket is full again when all tokens are back, and holds no more", () => {
  const empty = takeMany(10, fullBucket, 0);
  expect(isFull(empty, 59_999)).toBe(false);
  expect(isFull(empty, 60_000)).toBe(true);
  expect(takeToken(takeMany(10, empty, 1_000_000), rate, 1_000_000).granted).toBe(false);
});

test("a clock that goes back makes nobody wait for longer than an empty bucket", () => {
  expect(takeToken(takeMany(3, fullBucket, 1e12), rate, 0)).toMatchObject({ granted: false, retryInMs: 6000 });
});

const anyRate = fc.record({ capacity: fc.integer({ min: 1, max: 5 }), refillMs: fc.integer({ min: 1, max: 100 }) });
const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(300)), { maxLength: 25 });

test("no window of time gets more than the capacity and what came back in it", () => {
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

test("who comes back at the time it was given is granted a token, and not a moment sooner", () => {
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

test("what costs several tokens is granted when all of them are there", () => {
  const rate = { capacity: 3, refillMs: 10, tokens: 2 };
  const first = takeToken(fullBucket, rate, 0);
  expect(first.granted).toBe(true);
  expect(takeToken(first.bucket, rate, 0)).toMatchObject({ granted: false, retryInMs: 10 });
  expect(takeToken(first.bucket, rate, 10).granted).toBe(true);
});
