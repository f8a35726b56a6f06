// Problems that the operator of a target reports after the plan wrote it, and how an item waits until they are gone.

import type { Item, KubeObject } from "@virt/api";
import { readTime } from "@virt/engine";
import { isApplied } from "./items.ts";
import type { Observed, ObservedItem } from "./observed.ts";
import type { PlannedItem } from "./profile.ts";

/** A problem that another operator reports in the status of a target. */
export type TargetProblem = {
  readonly message: string;
  /** The command or action that helps. */
  readonly next: string;
  /** The plan itself ends the problem: it needs no attention and does not count towards `waitTimeout`. */
  readonly isExpected: boolean;
};

/** Returns the problem of a target that exists; undefined if the profile does not ask for one or there is none. */
export function problemOfTarget(
  { operation }: Pick<Item, "operation">,
  planned: PlannedItem | undefined,
  live: KubeObject | undefined,
): TargetProblem | undefined {
  if (operation !== "Apply" || planned?.operation !== "Apply" || live === undefined) return undefined;
  return planned.problemOf?.(live);
}

/** Returns the first problem of an applied item that needs attention. */
export function unexpectedProblem({ items }: Pick<Observed, "items">): TargetProblem | undefined {
  return items.find(({ item, problem }) => isApplied(item) && problem?.isExpected === false)?.problem;
}

/**
 * Returns how long the plan has waited for an unexpected problem to end, in milliseconds. The wait starts when the item was applied or the
 * last other item was completed, whichever is later: until then the problem may have been expected.
 */
export function waitedForTarget({ item }: ObservedItem, all: readonly ObservedItem[], now: number): number {
  const others = all.filter((one) => one.item.name !== item.name && one.item.state === "Completed");
  const times = [item.appliedTime, ...others.map((one) => one.item.lastTransitionTime)];
  const starts = times.flatMap((time) => readTime(time ?? "") ?? []);
  return starts.length === 0 ? 0 : Math.max(0, now - Math.max(...starts));
}
