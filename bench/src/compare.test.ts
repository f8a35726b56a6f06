import { expect, test } from "vitest";
import { differencesOf } from "./compare.ts";
import type { FigureResult } from "./results.ts";

type Three = readonly [min: number, median: number, max: number];

const range = ([min, median, max]: Three) => ({ min, median, max });
const figure = (three: Three, ratio?: Three): FigureResult => ({
  name: "time",
  unit: "ms",
  spread: { n: 3, p50: three[1], p90: three[2], p99: three[2] },
  rounds: range(three),
  ...(ratio && { ratio: { to: "get", ...range(ratio) } }),
});
const compare = (older: FigureResult, newer: FigureResult) => differencesOf({ ours: [older] }, { ours: [newer] });

const cases: readonly { reason: string; older: Three; newer: Three; change: number; isReal: boolean }[] = [
  {
    reason: "a large change without overlap is real",
    older: [9, 10, 11],
    newer: [12, 13, 14],
    change: 0.3,
    isReal: true,
  },
  {
    reason: "a large change with overlap is noise",
    older: [5, 10, 15],
    newer: [12, 13, 14],
    change: 0.3,
    isReal: false,
  },
  {
    reason: "a small change without overlap is not real",
    older: [9.9, 10, 10.1],
    newer: [10.9, 11, 11.1],
    change: 0.1,
    isReal: false,
  },
  {
    reason: "an improvement counts like a regression",
    older: [9, 10, 11],
    newer: [4, 5, 6],
    change: -0.5,
    isReal: true,
  },
  { reason: "ranges that touch overlap", older: [9, 10, 12], newer: [12, 13, 14], change: 0.3, isReal: false },
  {
    reason: "a value that stays zero has not changed",
    older: [0, 0, 0],
    newer: [0, 0, 0],
    change: 0,
    isReal: false,
  },
  {
    reason: "a change from zero is real",
    older: [0, 0, 0],
    newer: [1, 1, 1],
    change: Number.POSITIVE_INFINITY,
    isReal: true,
  },
];

test.each(cases)("$reason", ({ older, newer, change, isReal }) => {
  const [difference] = compare(figure(older), figure(newer));
  expect(difference?.change).toBeCloseTo(change);
  expect(difference?.isReal).toBe(isReal);
});

test("compares figures with a floor by their ratio, so machine speed does not matter", () => {
  const [difference] = compare(figure([9, 10, 11], [2, 2, 2]), figure([18, 20, 22], [2, 2, 2]));
  expect(difference).toMatchObject({ unit: "×", change: 0, isReal: false });
});

test("omits figures that only one side has", () => {
  expect(differencesOf({ ours: [] }, { ours: [figure([1, 2, 3])] })).toEqual([]);
});
