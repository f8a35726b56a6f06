import fc from "fast-check";
import { expect, test } from "vitest";
import { type Bucket, fullBucket, type Rate, take } from "./token-bucket.ts";

const rates: fc.Arbitrary<Rate> = fc.record({
  burst: fc.integer({ min: 1, max: 6 }),
  everyMs: fc.integer({ min: 1, max: 20 }),
});
const pauses = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })), { size: "max", maxLength: 60 });

/** The times at which something was granted, where somebody asks after each pause. */
function grants(rate: Rate, pauses: readonly number[]): readonly number[] {
  const granted: number[] = [];
  let bucket: Bucket = fullBucket;
  let now = 0;
  for (const pause of pauses) {
    now += pause;
    const taken = take(bucket, rate, now);
    bucket = taken.bucket;
    if (taken.isGranted) granted.push(now);
  }
  return granted;
}

test("no stretch of time sees more than the burst and what came in meanwhile", () => {
  const law = fc.property(rates, pauses, (rate, pauses) => {
    const granted = grants(rate, pauses);
    return granted.every((from, first) =>
      granted.slice(first).every((until, count) => count + 1 <= rate.burst + Math.floor((until - from) / rate.everyMs)),
    );
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("whoever is refused is granted after the time that was named, and not before", () => {
  const law = fc.property(rates, pauses, (rate, pauses) => {
    let bucket: Bucket = fullBucket;
    let now = 0;
    return pauses.every((pause) => {
      now += pause;
      const { isGranted, bucket: next, retryInMs } = take(bucket, rate, now);
      bucket = next;
      if (isGranted) return retryInMs === 0;
      const isEarly = take(bucket, rate, now + retryInMs - 1).isGranted;
      return retryInMs > 0 && !isEarly && take(bucket, rate, now + retryInMs).isGranted;
    });
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("25 at once, then one every five minutes", () => {
  const rate = { burst: 25, everyMs: 300_000 };
  expect(
    grants(
      rate,
      Array.from({ length: 40 }, () => 0),
    ),
  ).toHaveLength(25);
  expect(grants(rate, [...Array.from({ length: 30 }, () => 0), 299_999, 1, 0, 300_000])).toHaveLength(27);
});
