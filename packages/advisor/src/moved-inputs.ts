// Which inputs of a plan are not any more what they were.

import type { InputRecord } from "@virt/api";
import type { InputSeen } from "./observed.ts";

/** Since the plan was finished. One that was never in force is compared with what the plan was drafted for. */
export function movedSinceApplied(inputs: readonly InputSeen[]): readonly InputSeen[] {
  return inputs.filter(({ now, applied, used }) => isMoved(applied ?? used, now));
}

/** Since the plan on display was drafted. */
export function movedSinceDrafted(inputs: readonly InputSeen[]): readonly InputSeen[] {
  return inputs.filter(({ now, used }) => isMoved(used, now));
}

function isMoved(was: string | undefined, now: string | undefined): boolean {
  return was !== undefined && now !== undefined && was !== now;
}

/** All are what they were when the last plan was finished, and there was one. */
export function isBack(inputs: readonly InputSeen[]): boolean {
  return inputs.length > 0 && inputs.every(({ now, applied }) => applied !== undefined && now === applied);
}

/**
 * After a plan was carried out: its inputs are in force. One that the plan writes itself is what the plan made of it; where
 * an item failed, that may be nothing, and what is there is in force.
 */
export function inForce(
  records: readonly InputRecord[],
  seen: readonly InputSeen[],
  hasFailed = false,
): readonly InputRecord[] {
  return records.map(({ name, used }) => {
    const { planned, now } = seen.find((input) => input.name === name) ?? {};
    const applied = (planned !== undefined && hasFailed ? now : planned) ?? used;
    return { name, ...(used !== undefined && { used }), ...(applied !== undefined && { applied }) };
  });
}
