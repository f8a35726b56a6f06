import { expect, test } from "vitest";
import type { Floor } from "./floor.ts";
import { floorOf, isUnsteady, type Round, runRounds, samplesOf } from "./rounds.ts";

const floor = (p50: number): Floor => {
  const spread = { n: 1, p50, p90: p50, p99: p50 };
  return { get: spread, "dry run": spread, change: spread, pair: spread };
};
const round = (before: number, after = before): Round => ({
  floors: [floor(before), floor(after)],
  measured: [
    { samples: { time: [before] }, requests: {} },
    { samples: { time: [after] }, requests: {} },
  ],
});

test("a round has the mean of its floors and all its samples", () => {
  expect(floorOf(round(4, 6), "get")).toBe(5);
  expect(samplesOf(round(4, 6), "time")).toEqual([4, 6]);
  expect(samplesOf(round(4, 6), "nothing")).toEqual([]);
});

test("a round is unsteady if its floor deviates by more than 30 %", () => {
  const others = [round(10), round(10)];
  expect([round(12.9), round(7.1)].map((one) => isUnsteady(one, others))).toEqual([false, false]);
  expect([round(13.1), round(6.9)].map((one) => isUnsteady(one, others))).toEqual([true, true]);
  expect(isUnsteady(round(99), [])).toBe(false);
});

const runs = [
  { reason: "runs steady rounds once", floors: [10, 11, 12], repeated: 0, isSteady: true },
  { reason: "repeats a round with a deviating floor", floors: [10, 20, 10, 11], repeated: 1, isSteady: true },
  {
    reason: "reports rounds that stay unsteady after all repetitions",
    floors: [10, 20, 20, 20, 20],
    repeated: 2,
    isSteady: false,
  },
];

test.each(runs)("$reason", async ({ floors, repeated, isSteady }) => {
  const left = floors.map((one) => round(one));
  const result = await runRounds({ rounds: 3, repetitions: 2 }, () => {
    const next = left.shift();
    return next === undefined ? Promise.reject(new Error("one round too many")) : Promise.resolve(next);
  });
  expect(left).toEqual([]);
  expect(result).toMatchObject({ repeated, isSteady });
  expect(result.rounds).toHaveLength(3);
});
