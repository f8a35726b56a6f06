// Turns sayings into conditions: what did not flip keeps its time.

import { type Condition, type SideCondition, type Status, sideConditions } from "@virt/api";
import { stamp } from "../stamp.ts";
import type { Saying } from "./phase.ts";
import { conditionOf } from "./read.ts";

export type Moment = { readonly now: number; readonly generation: number };

export function writeConditions(was: Status, sayings: readonly Saying[], at: Moment): readonly Condition[] {
  return sayings.map((saying) => {
    const before = conditionOf(was, saying.type);
    const isSame = before?.status === saying.status;
    const lastTransitionTime = isSame ? before.lastTransitionTime : stamp(at.now);
    return { ...saying, lastTransitionTime, observedGeneration: at.generation };
  });
}

/** Side conditions as they were, but for those that are said anew. */
export function sideSayings(was: Status, said: readonly Saying[]): readonly Saying[] {
  return sideConditions.flatMap((type: SideCondition) => {
    const anew = said.find((saying) => saying.type === type);
    const before = conditionOf(was, type);
    if (anew !== undefined) return [anew];
    if (before === undefined || before.status === "Unknown") return [];
    const { status, reason, message } = before;
    return [{ type, status, reason, message }];
  });
}
