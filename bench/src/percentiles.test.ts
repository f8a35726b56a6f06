import fc from "fast-check";
import { expect, test } from "vitest";
import { percentile, rangeOf, spreadOf } from "./percentiles.ts";

const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);

const cases = [
  { reason: "the median of a hundred is the fiftieth", samples: hundred, share: 0.5, is: 50 },
  { reason: "p99 of a hundred is the second to last", samples: hundred, share: 0.99, is: 99 },
  { reason: "p0 is the lowest", samples: hundred, share: 0, is: 1 },
  { reason: "p100 is the highest", samples: hundred, share: 1, is: 100 },
  { reason: "one sample is every percentile", samples: [7], share: 0.9, is: 7 },
  { reason: "the median of two samples is the lower one", samples: [9, 3], share: 0.5, is: 3 },
  { reason: "no samples have no percentile", samples: [], share: 0.5, is: Number.NaN },
];

test.each(cases)("$reason", ({ samples, share, is }) => {
  expect(percentile(samples, share)).toBe(is);
});

test("a percentile is a sample with at least that share at or below it", () => {
  const samples = fc.array(fc.integer(), { minLength: 1, maxLength: 60, size: "max" });
  const law = fc.property(samples, fc.double({ min: 0, max: 1, noNaN: true }), (seen, share) => {
    const value = percentile(seen, share);
    const below = seen.filter((one) => one <= value).length;
    return seen.includes(value) && below >= share * seen.length;
  });
  fc.assert(law);
});

test("spread and range have the same median", () => {
  expect(spreadOf([3, 1, 2])).toEqual({ n: 3, p50: 2, p90: 3, p99: 3 });
  expect(rangeOf([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
});
