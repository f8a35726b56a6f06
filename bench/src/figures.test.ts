import { expect, test } from "vitest";
import { compareWithGoal, decisiveSample, type Goal } from "./figures.ts";

const within: Goal = { is: "at most", value: 100, isExact: false };
const count: Goal = { is: "at most", value: 0, isExact: true };
const rate: Goal = { is: "at least", value: 0.8, isExact: false };

const cases = [
  { reason: "a value equal to the limit meets the goal", values: [100], goal: within, size: "usual", isMet: true },
  { reason: "the worst round decides", values: [50, 101, 50], goal: within, size: "usual", isMet: false },
  { reason: "a quick run doubles the limit for times", values: [199], goal: within, size: "quick", isMet: true },
  {
    reason: "a quick run does not more than double the limit",
    values: [201],
    goal: within,
    size: "quick",
    isMet: false,
  },
  { reason: "a quick run compares counts exactly", values: [1], goal: count, size: "quick", isMet: false },
  { reason: "a full run has no tolerance", values: [101], goal: within, size: "full", isMet: false },
  {
    reason: "the lowest round decides about a minimum",
    values: [0.9, 0.7],
    goal: rate,
    size: "usual",
    isMet: false,
  },
  {
    reason: "a quick run halves a minimum",
    values: [0.41],
    goal: rate,
    size: "quick",
    isMet: true,
  },
  { reason: "a run without rounds misses the goal", values: [], goal: within, size: "usual", isMet: false },
  {
    reason: "a round without samples misses the goal",
    values: [1, Number.NaN],
    goal: within,
    size: "usual",
    isMet: false,
  },
] as const;

test.each(cases)("$reason", ({ values, goal, size, isMet }) => {
  expect(compareWithGoal(values, goal, size).isMet).toBe(isMet);
});

test("every sample counts, unless the goal is about a percentile", () => {
  const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 90];
  expect(decisiveSample([1, 2, 9], within)).toBe(9);
  expect(decisiveSample([1, 2, 9], { ...within, by: "p50" })).toBe(2);
  expect(decisiveSample(ten, { ...within, by: "p90" })).toBe(9);
  expect(decisiveSample(ten, { ...rate, by: "p90" })).toBe(1);
  expect(decisiveSample([1, 2, 9], rate)).toBe(1);
});
