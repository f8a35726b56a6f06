// Problems that the operator of a target reports after the plan wrote it, and how an item waits until they are gone.

import type { Item, KubeObject, Phase } from "@virt/api";
import { readTime } from "@virt/engine";
import { isApplied } from "./items.ts";
import type { Observed, ObservedItem } from "./observed.ts";
import type { PlannedItem } from "./profile.ts";

/** A reason why an item is not completed yet, although its target is as desired. */
export type TargetProblem = {
  readonly message: string;
  /** The command or action that helps. */
  readonly next: string;
  readonly kind:
    | "fault" // its operator reports a failure
    | "expected" // the plan itself ends the failure: it needs no attention and does not count towards `waitTimeout`
    | "unprocessed"; // its operator has not processed the change of this plan: it needs no attention
  /** The problem counts for at most this time after the write. */
  readonly longestMs?: number;
};

/** When a target is observed, and the phase of its plan then. */
type ObservationTime = { readonly phase: Phase | undefined; readonly now: number };

/** Returns the problem of a target that exists; undefined if the profile does not ask for one or there is none. */
export function problemOfTarget(
  { operation, appliedTime }: Pick<Item, "operation" | "appliedTime">,
  planned: PlannedItem | undefined,
  live: KubeObject | undefined,
  { phase, now }: ObservationTime,
): TargetProblem | undefined {
  if (operation !== "Apply" || planned?.operation !== "Apply" || live === undefined) return undefined;
  const problem = planned.problemOf?.(live);
  if (problem?.kind !== "unprocessed") return problem;
  const appliedMs = readTime(appliedTime ?? "");
  if (phase !== "InProgress" || appliedMs === undefined) return undefined;
  return now - appliedMs < (problem.longestMs ?? Number.POSITIVE_INFINITY) ? problem : undefined;
}

/** Reports whether the target's operator reports problems, so that a confirmed write does not complete the item yet. */
export function awaitsReport(planned: PlannedItem | undefined, live: KubeObject | undefined): boolean {
  return planned?.operation === "Apply" && planned.problemOf !== undefined && live !== undefined;
}

/** Returns the first problem of an applied item that needs attention. */
export function unexpectedProblem({ items }: Pick<Observed, "items">): TargetProblem | undefined {
  return items.find(({ item, problem }) => isApplied(item) && problem?.kind === "fault")?.problem;
}

/**
 * Returns how long the plan has waited for a problem to end, in milliseconds. The wait starts when the item was applied or the
 * last other item was completed, whichever is later: until then the problem may have been expected.
 */
export function waitedForTarget({ item }: ObservedItem, all: readonly ObservedItem[], now: number): number {
  const others = all.filter((one) => one.item.name !== item.name && one.item.state === "Completed");
  const times = [item.appliedTime, ...others.map((one) => one.item.lastTransitionTime)];
  const starts = times.flatMap((time) => readTime(time ?? "") ?? []);
  return starts.length === 0 ? 0 : Math.max(0, now - Math.max(...starts));
}
