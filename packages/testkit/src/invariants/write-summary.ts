// O2: how often each object was created, applied, updated and deleted.

import { type Audited, isApply, isEffective, objectOf } from "./audited.ts";

export type WriteCounts = {
  readonly creates: number;
  /** Those that change nothing included. */
  readonly applies: number;
  readonly updates: number;
  readonly deletes: number;
};

const none: WriteCounts = { creates: 0, applies: 0, updates: 0, deletes: 0 };

/** By object and subresource, such as `configmaps/default/one`; only effective writes of these accounts. */
export function summarizeWrites(
  requests: readonly Audited[],
  accounts: readonly string[],
): Readonly<Record<string, WriteCounts>> {
  const summary: Record<string, WriteCounts> = {};
  for (const write of requests) {
    if (!accounts.includes(write.account) || !isEffective(write)) continue;
    const kind = kindOf(write);
    const counts = summary[objectOf(write)] ?? none;
    summary[objectOf(write)] = { ...counts, [kind]: counts[kind] + 1 };
  }
  return summary;
}

function kindOf(write: Audited): keyof WriteCounts {
  if (write.verb === "create") return "creates";
  if (write.verb.startsWith("delete")) return "deletes";
  return isApply(write) ? "applies" : "updates";
}
