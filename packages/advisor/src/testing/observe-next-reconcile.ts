// Simulates the next reconcile of an otherwise unchanged cluster.

import type { Status } from "@virt/api";
import type { Observed, ObservedInput, ObservedItem } from "../observed.ts";
import { wantsDraft } from "../transition.ts";
import { observedItem } from "./observed-fixtures.ts";

/** Returns the next observation, or undefined if the next reconcile needs a draft that the first one did not make. */
export function observeNextReconcile(observed: Observed, status: Status): Observed | undefined {
  const { draft, upgrade, ...rest } = observed;
  const isDrafted = draft?.kind === "drafted" && status.sourceSnapshotHash === draft.snapshotHash;
  const items = (status.items ?? []).map((item) => {
    const before = isDrafted ? fresh(observed, item.name) : viewOf(observed, item.name);
    return observedItem(item, before);
  });
  const rollouts = (status.rollouts ?? []).map((record) => {
    const before = observed.rollouts.find((one) => one.record.machineConfig === record.machineConfig);
    return { record, health: before?.health ?? ({ state: "waiting", message: "" } as const) };
  });
  const inputs = rest.inputs.map((input) => writtenBy(input, status));
  const isOther = (status.operatorVersion ?? "") !== "" && status.operatorVersion !== rest.operator.version;
  const blocked = draft?.kind === "blocked" ? { blocked: { kind: "other", message: draft.message } as const } : {};
  const next: Observed = {
    ...rest,
    ...blocked,
    stored: status,
    statusOrigin: "own",
    isDisruptionStale: observed.isDisruptionStale && !isDrafted,
    ...(isDrafted && { planCheck: { kind: "intact" } as const }),
    items,
    inputs,
    rollouts,
    ...(isOther && upgrade && { upgrade }),
  };
  if (!wantsDraft(next)) return next;
  return draft === undefined ? undefined : { ...next, draft };
}

function viewOf({ items }: Observed, wanted: string): Partial<ObservedItem> {
  const view = items.find(({ item }) => item.name === wanted);
  if (view === undefined) return {};
  const { drift, rollout, pools, current, nodesWithout, isReverted } = view;
  return {
    pools,
    current,
    ...(drift && { drift }),
    ...(rollout && { rollout }),
    ...(nodesWithout && { nodesWithout }),
    ...(isReverted && { isReverted }),
  };
}

function fresh({ draft }: Observed, wanted: string): Partial<ObservedItem> {
  if (draft?.kind !== "drafted") return {};
  const rollout = draft.rollouts[wanted];
  const target = draft.items.find(({ name }) => name === wanted)?.targetRef;
  const isReverted = target !== undefined && draft.reverted.includes(target);
  return { ...(rollout && { rollout }), ...(isReverted && { isReverted }) };
}

/** Returns the inputs after the plan. Inputs that the plan writes have their planned values. */
function writtenBy(
  { used: _used, applied: _applied, ...input }: ObservedInput,
  { inputs = [], phase }: Status,
): ObservedInput {
  const stored = inputs.find(({ name }) => name === input.name);
  const isDone = phase === "Completed" || phase === "CompletedWithErrors" || phase === "Drifted";
  const isWritten = isDone && input.planned !== undefined && stored?.applied === input.planned;
  return { ...input, ...stored, ...(isWritten && { now: input.planned }) };
}
