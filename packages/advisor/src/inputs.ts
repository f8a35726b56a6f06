// Tracks the inputs of a plan that are not its targets, and detects changes.

import type { InputRecord, Ref } from "@virt/api";
import type { ReconcileFacts } from "./facts.ts";
import type { ObservedInput } from "./observed.ts";
import { isPlanOpen } from "./phases.ts";
import { findBlocker, plannedInputs } from "./plan.ts";

export function observeInputs(facts: ReconcileFacts): readonly ObservedInput[] {
  const records = facts.config.status?.inputs ?? [];
  return plannedInputs(facts).map(({ name, now, planned, describe, summarize }) => {
    const record = records.find((one) => one.name === name) ?? { name };
    const from = record.applied ?? record.used ?? "";
    const texts = { moved: describe(from, now ?? ""), change: summarize(from, now ?? "") };
    return { ...record, now, ...texts, ...(planned !== undefined && { planned }) };
  });
}

/** Returns the targets to read again, because their cached content suggests that an input has changed. */
export function targetsOfMovedInputs(facts: ReconcileFacts): readonly Ref[] {
  const { phase, inputs = [] } = facts.config.status ?? {};
  if (inputs.length === 0 || findBlocker(facts) !== undefined) return [];
  return plannedInputs(facts).flatMap(({ name, now, target }) => {
    const { applied, used } = inputs.find((record) => record.name === name) ?? {};
    return target !== undefined && hasMoved(isPlanOpen(phase) ? used : (applied ?? used), now) ? [target] : [];
  });
}

/** Returns the inputs of a draft. If an input could not be read, it has no value. */
export function draftInputs(facts: ReconcileFacts): readonly InputRecord[] {
  return plannedInputs(facts).map(({ name, now }) => {
    const applied = facts.config.status?.inputs?.find((record) => record.name === name)?.applied;
    return { name, ...(now !== undefined && { used: now }), ...(applied !== undefined && { applied }) };
  });
}

/** Returns the inputs that changed since the last completed plan, or since the draft if no plan was completed. */
export function movedSinceApplied(inputs: readonly ObservedInput[]): readonly ObservedInput[] {
  return inputs.filter(({ now, applied, used }) => hasMoved(applied ?? used, now));
}

/** Returns the inputs that changed since the plan was drafted. */
export function movedSinceDrafted(inputs: readonly ObservedInput[]): readonly ObservedInput[] {
  return inputs.filter(({ now, used }) => hasMoved(used, now));
}

function hasMoved(was: string | undefined, now: string | undefined): boolean {
  return was !== undefined && now !== undefined && was !== now;
}

/** Reports whether all inputs are back at their values from the last completed plan. */
export function areInputsBack(inputs: readonly ObservedInput[]): boolean {
  return inputs.length > 0 && inputs.every(({ now, applied }) => applied !== undefined && now === applied);
}

/**
 * Records the values that the completed plan used: for an input that the plan writes, the planned value, or the current
 * value if an item failed.
 */
export function recordAppliedInputs(
  records: readonly InputRecord[],
  observed: readonly ObservedInput[],
  hasFailed = false,
): readonly InputRecord[] {
  return records.map(({ name, used }) => {
    const { planned, now } = observed.find((input) => input.name === name) ?? {};
    const applied = (planned !== undefined && hasFailed ? now : planned) ?? used;
    return { name, ...(used !== undefined && { used }), ...(applied !== undefined && { applied }) };
  });
}
