// Problems that a target's operator reports after a write, and how long an item waits for them to end.

import type { Item, KubeObject, Phase } from "@virt/api";
import { readTime } from "@virt/objects";
import { isApplied } from "./items.ts";
import type { Observed, ObservedItem } from "./observed.ts";
import type { PlannedItem } from "./profile.ts";

/** Why an item is not complete although its target has the desired content. */
export type TargetProblem = {
  readonly message: string;
  readonly next: string;
  readonly kind:
    | "fault" // the operator of the target reports a failure
    | "expected" // the plan itself fixes it: needs no attention and does not count towards `waitTimeout`
    | "unprocessed"; // the operator of the target has not processed the change yet: needs no attention
  /** How long after the write the problem counts, in milliseconds. */
  readonly longestMs?: number;
};

type ObservationTime = { readonly phase: Phase | undefined; readonly now: number };

/** Returns the problem, or undefined if there is none or the profile does not check for problems. */
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

/** Reports whether the profile checks for problems. If so, the item is not complete right after its write. */
export function awaitsReport(planned: PlannedItem | undefined, live: KubeObject | undefined): boolean {
  return planned?.operation === "Apply" && planned.problemOf !== undefined && live !== undefined;
}

export function unexpectedProblem({ items }: Pick<Observed, "items">): TargetProblem | undefined {
  return items.find(({ item, problem }) => isApplied(item) && problem?.kind === "fault")?.problem;
}

/** Returns the milliseconds since the write, or since the last other item completed if that was later. */
export function waitedForTarget({ item }: ObservedItem, all: readonly ObservedItem[], now: number): number {
  const others = all.filter((one) => one.item.name !== item.name && one.item.state === "Completed");
  const times = [item.appliedTime, ...others.map((one) => one.item.lastTransitionTime)];
  const starts = times.flatMap((time) => readTime(time ?? "") ?? []);
  return starts.length === 0 ? 0 : Math.max(0, now - Math.max(...starts));
}
