// I6: no target is written while the config that governs it says Ignore. What the platform controller must leave alone is
// not judged here.

import type { History } from "./history.ts";
import { groundsOf } from "./plan-record.ts";
import { type Violation, violation } from "./violation.ts";

export function ignoredWrites(history: History): readonly Violation[] {
  return history.targetWrites.flatMap((write) => {
    const grounds = groundsOf(history, write);
    const isIgnored = grounds.length > 0 && grounds.every(({ config }) => config.spec.action === "Ignore");
    return isIgnored ? [violation("I6", write, `${grounds[0]?.config.metadata.name} is ignored`)] : [];
  });
}
