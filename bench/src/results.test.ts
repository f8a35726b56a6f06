import { expect, test } from "vitest";
import type { FigureSpec } from "./figures.ts";
import type { Floor } from "./floor.ts";
import { isPassed, type MeasurementContext, resultOf } from "./results.ts";
import type { Round } from "./rounds.ts";
import type { Scenario } from "./scenario.ts";

const spread = (p50: number) => ({ n: 1, p50, p90: p50, p99: p50 });
const floor = (p50: number): Floor => ({
  get: spread(p50),
  "dry run": spread(p50),
  change: spread(p50),
  pair: spread(p50),
});
const round = (at: number, samples: readonly number[]): Round => ({
  floors: [floor(at), floor(at)],
  measured: samples.map((one) => ({ samples: { time: [one] }, requests: { get: one } })),
});
const around: MeasurementContext = { time: "", commit: "", versions: {}, cores: 2, load: 0, seed: 1, size: "usual" };

const resultFor = (goal: NonNullable<FigureSpec["goal"]>, rounds: readonly Round[]) => {
  const scenario: Scenario = {
    name: "one",
    says: "",
    isQuick: true,
    perRound: 2,
    figures: [{ name: "time", unit: "ms", floor: "get", goal }],
    measure: () => Promise.resolve({ samples: {}, requests: {} }),
  };
  return resultOf(scenario, { rounds, repeated: 0, isSteady: true }, around);
};

test("the worst sample counts, and each round has its own floor", () => {
  const rounds = [round(10, [20, 22]), round(20, [40, 60]), round(10, [30, 31])];
  const result = resultFor({ is: "at most", value: 59, isExact: false }, rounds);
  expect(result.ours[0]).toMatchObject({
    spread: { n: 6, p50: 30 },
    rounds: { median: 30, min: 20, max: 40 },
    ratio: { to: "get", median: 2, min: 2, max: 3 },
    goalResult: { isMet: false, worst: 60 },
  });
  expect(isPassed(result)).toBe(false);
  expect(result.requests).toEqual({ get: 30 });
});

test("compares the ratio if the goal is about the ratio", () => {
  const rounds = [round(10, [20]), round(20, [59])];
  expect(isPassed(resultFor({ is: "at most", value: 3, isExact: false, ofRatio: true }, rounds))).toBe(true);
  expect(isPassed(resultFor({ is: "at most", value: 2.9, isExact: false, ofRatio: true }, rounds))).toBe(false);
});

test("a measurement without samples does not pass", () => {
  expect(isPassed(resultFor({ is: "at most", value: 59, isExact: false }, [round(10, [])]))).toBe(false);
});
