// The inputs of a plan outside its targets: what they are, and which are not any more what they were.

import type { InputRecord, Ref } from "@virt/api";
import type { ReconcileFacts } from "./facts.ts";
import type { ObservedInput } from "./observed.ts";
import { isPlanOpen } from "./phases.ts";
import { findBlocker, plannedInputs } from "./plan.ts";

/** The inputs of the stored plan beside what they are now. */
export function observeInputs(facts: ReconcileFacts): readonly ObservedInput[] {
  const records = facts.config.status?.inputs ?? [];
  return plannedInputs(facts).map(({ name, now, planned, describe, summarize }) => {
    const record = records.find((one) => one.name === name) ?? { name };
    const from = record.applied ?? record.used ?? "";
    const texts = { moved: describe(from, now ?? ""), change: summarize(from, now ?? "") };
    return { ...record, now, ...texts, ...(planned !== undefined && { planned }) };
  });
}

/** Returns the targets to read again because inputs that are read from them seem to have changed. */
export function targetsOfMovedInputs(facts: ReconcileFacts): readonly Ref[] {
  const { phase, inputs = [] } = facts.config.status ?? {};
  if (inputs.length === 0 || findBlocker(facts) !== undefined) return [];
  return plannedInputs(facts).flatMap(({ name, now, target }) => {
    const { applied, used } = inputs.find((record) => record.name === name) ?? {};
    return target !== undefined && hasMoved(isPlanOpen(phase) ? used : (applied ?? used), now) ? [target] : [];
  });
}

/** What a draft made now records: an input that cannot be read has no value. */
export function draftInputs(facts: ReconcileFacts): readonly InputRecord[] {
  return plannedInputs(facts).map(({ name, now }) => {
    const applied = facts.config.status?.inputs?.find((record) => record.name === name)?.applied;
    return { name, ...(now !== undefined && { used: now }), ...(applied !== undefined && { applied }) };
  });
}

/** Since the plan was finished. One that was never in force is compared with what the plan was drafted for. */
export function movedSinceApplied(inputs: readonly ObservedInput[]): readonly ObservedInput[] {
  return inputs.filter(({ now, applied, used }) => hasMoved(applied ?? used, now));
}

/** Since the plan on display was drafted. */
export function movedSinceDrafted(inputs: readonly ObservedInput[]): readonly ObservedInput[] {
  return inputs.filter(({ now, used }) => hasMoved(used, now));
}

function hasMoved(was: string | undefined, now: string | undefined): boolean {
  return was !== undefined && now !== undefined && was !== now;
}

/** All are what they were when the last plan was finished, and there was one. */
export function areInputsBack(inputs: readonly ObservedInput[]): boolean {
  return inputs.length > 0 && inputs.every(({ now, applied }) => applied !== undefined && now === applied);
}

/**
 * After a plan was carried out: its inputs are in force. One that the plan writes itself is what the plan made of it; where
 * an item failed, that may be nothing, and what is there is in force.
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
