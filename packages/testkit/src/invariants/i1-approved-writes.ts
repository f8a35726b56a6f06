// I1, the write: no target is written unless the stored status says that this plan is approved and this item is begun.

import type { Audited } from "./audited.ts";
import type { History } from "./history.ts";
import { groundsOf } from "./plan-record.ts";
import { type Violation, violation } from "./violation.ts";

export function unapprovedWrites(history: History): readonly Violation[] {
  return history.targetWrites.flatMap((write) => {
    const why = whyNot(history, write);
    return why === undefined ? [] : [violation("I1", write, why)];
  });
}

function whyNot(history: History, write: Audited): string | undefined {
  const grounds = groundsOf(history, write);
  if (grounds.some(({ refusal }) => refusal === undefined)) return undefined;
  const last = grounds.at(-1);
  if (last === undefined) return "no plan names this object";
  return `${last.config.metadata.name} does not allow it: ${last.refusal}`;
}
