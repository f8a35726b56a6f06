// Declares benchmark figures with their units and goals, and compares measured values with the goals.

import type { FloorVerb } from "./floor.ts";
import { percentile } from "./percentiles.ts";
import type { Size } from "./scenario.ts";

export type Unit = "ms" | "s" | "kB" | "MB" | "/s" | "×" | "count";

export type Goal = {
  readonly is: "at most" | "at least";
  readonly value: number;
  /**
   * True if the value, such as a count, does not depend on the machine's speed. A quick run then applies the goal
   * without tolerance.
   */
  readonly isExact: boolean;
  /** True if the goal applies to the ratio to the floor. */
  readonly ofRatio?: boolean;
  /** The sample in each round that must meet the goal. Default: the worst. */
  readonly by?: "worst" | "p50" | "p90";
};

export type FigureSpec = {
  readonly name: string;
  readonly unit: Unit;
  readonly floor?: FloorVerb;
  readonly goal?: Goal;
  /** True if a quick run skips the figure because it takes too long. */
  readonly isLong?: boolean;
  readonly peer?: string;
};

/** Returns the sample that the goal applies to. */
export function decisiveSample(samples: readonly number[], { is, by = "worst" }: Goal): number {
  if (by === "p50") return percentile(samples, 0.5);
  if (by === "p90") return percentile(samples, is === "at most" ? 0.9 : 0.1);
  return percentile(samples, is === "at most" ? 1 : 0);
}

export type GoalResult = { readonly isMet: boolean; readonly limit: number; readonly worst: number };

/** Compares one value per round with the goal. Every round must pass, and a round without a sample fails. */
export function compareWithGoal(values: readonly number[], goal: Goal, size: Size): GoalResult {
  const slack = size === "quick" && !goal.isExact ? 2 : 1;
  const limit = goal.is === "at most" ? goal.value * slack : goal.value / slack;
  const worst = goal.is === "at most" ? Math.max(...values) : Math.min(...values);
  const isMet = values.length > 0 && (goal.is === "at most" ? worst <= limit : worst >= limit);
  return { isMet, limit, worst };
}
