// The next pass over a world in which nothing moved but what the last decision wrote, for the laws.

import type { Status } from "@virt/api";
import type { InputSeen, ItemSeen, Observed } from "./observed.ts";
import { seenItem } from "./observed-world.ts";
import { wantsDraft } from "./wants-draft.ts";

/** Undefined where a draft is wanted that the first pass did not make. */
export function lookAgain(seen: Observed, status: Status): Observed | undefined {
  const { draft, upgrade, ...rest } = seen;
  const isDrafted = draft?.kind === "drafted" && status.sourceSnapshotHash === draft.snapshotHash;
  const items = (status.items ?? []).map((item) => {
    const before = isDrafted ? fresh(seen, item.name) : viewOf(seen, item.name);
    return seenItem(item, before);
  });
  const inputs = rest.inputs.map((input) => writtenBy(input, status));
  const isOther = (status.operatorVersion ?? "") !== "" && status.operatorVersion !== rest.operator.version;
  const blocked = draft?.kind === "blocked" ? { blocked: { kind: "other", message: draft.message } as const } : {};
  const next: Observed = { ...rest, ...blocked, was: status, items, inputs, ...(isOther && upgrade && { upgrade }) };
  if (!wantsDraft(next)) return next;
  return draft === undefined ? undefined : { ...next, draft };
}

function viewOf({ items }: Observed, wanted: string): Partial<ItemSeen> {
  const view = items.find(({ item }) => item.name === wanted);
  if (view === undefined) return {};
  const { drift, rollout, pools, current } = view;
  return { pools, current, ...(drift && { drift }), ...(rollout && { rollout }) };
}

/** What was just drafted was just read. */
function fresh({ draft }: Observed, wanted: string): Partial<ItemSeen> {
  const rollout = draft?.kind === "drafted" ? draft.rollouts[wanted] : undefined;
  return rollout === undefined ? {} : { rollout };
}

/** An input that the plan writes itself is what the plan made of it, once that is in force. */
function writtenBy({ used: _used, applied: _applied, ...input }: InputSeen, { inputs = [], phase }: Status): InputSeen {
  const stored = inputs.find(({ name }) => name === input.name);
  const isDone = phase === "Completed" || phase === "CompletedWithErrors" || phase === "Drifted";
  const isWritten = isDone && input.planned !== undefined && stored?.applied === input.planned;
  return { ...input, ...stored, ...(isWritten && { now: input.planned }) };
}
