// What is measured, in which unit, and what it must reach.

import type { FloorVerb } from "./floor.ts";
import { percentile } from "./percentiles.ts";
import type { Size } from "./scenario.ts";

export type Unit = "ms" | "s" | "kB" | "MB" | "/s" | "×" | "count";

export type Goal = {
  readonly is: "at most" | "at least";
  readonly value: number;
  /** Counts and memory do not depend on the minute, so a quick run gates them exactly too. */
  readonly isExact: boolean;
  /** Compared by the ratio to the floor, not by the value. */
  readonly ofRatio?: boolean;
  /** Which sample of a round must reach it; the worst one unless said otherwise. */
  readonly by?: "worst" | "p50" | "p90";
};

export type FigureSpec = {
  readonly name: string;
  readonly unit: Unit;
  /** The raw request of the same minute that it is compared with. */
  readonly floor?: FloorVerb;
  readonly goal?: Goal;
  /** Takes too long for a quick run, which leaves it out. */
  readonly isLong?: boolean;
  /** A key of peers.json. */
  readonly peer?: string;
};

/** What one round says about a figure: the sample that the goal asks for. */
export function decisiveSample(samples: readonly number[], { is, by = "worst" }: Goal): number {
  if (by === "p50") return percentile(samples, 0.5);
  if (by === "p90") return percentile(samples, is === "at most" ? 0.9 : 0.1);
  return percentile(samples, is === "at most" ? 1 : 0);
}

export type GoalResult = { readonly isMet: boolean; readonly limit: number; readonly worst: number };

/** `values`: one for each round. The worst round must pass, and a round without a sample does not. */
export function compareWithGoal(values: readonly number[], goal: Goal, size: Size): GoalResult {
  const slack = size === "quick" && !goal.isExact ? 2 : 1;
  const limit = goal.is === "at most" ? goal.value * slack : goal.value / slack;
  const worst = goal.is === "at most" ? Math.max(...values) : Math.min(...values);
  const isMet = values.length > 0 && (goal.is === "at most" ? worst <= limit : worst >= limit);
  return { isMet, limit, worst };
}
