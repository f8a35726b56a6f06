// Deletes objects that earlier releases created, and retries on failure.

import { fieldManagers } from "@virt/api";
import type { ReconcileContext, ReconcileResult } from "@virt/kube";
import {
  decideTombstone,
  explainFailure,
  isBarred,
  normalEvent,
  objectKey,
  objectName,
  type Tombstone,
  warningEvent,
} from "@virt/platform";
import { recordObjectEvent } from "./report.ts";
import type { PlatformRuntime, TombstoneRecord } from "./runtime.ts";
import type { Snapshot } from "./snapshot.ts";

const manager = fieldManagers.platform;
const firstMs = 1_000;
const longestMs = 600_000;

type TombstoneResult = Omit<TombstoneRecord, "timesInARow">;

export type TombstoneContext = {
  readonly snapshot: Snapshot | undefined;
  readonly runtime: PlatformRuntime;
  readonly context: ReconcileContext;
};

export function isGone(tombstone: Tombstone, { records }: Pick<PlatformRuntime, "records">): boolean {
  return records.cluster.tombstones.get(objectKey(tombstone))?.state === 0;
}

/** Returns the keys of tombstones without a record. All others are done or already requeued. */
export function dueTombstones({ tombstones, records }: PlatformRuntime): readonly string[] {
  return tombstones.map((one) => objectKey(one)).filter((key) => !records.cluster.tombstones.has(key));
}

export async function deleteTombstone(
  key: string,
  { snapshot, runtime, context }: TombstoneContext,
): Promise<ReconcileResult> {
  const { records, metrics, clock } = runtime;
  const known = records.cluster.tombstones;
  const tombstone = runtime.tombstones.find((one) => objectKey(one) === key);
  if (tombstone === undefined || isGone(tombstone, runtime)) return { kind: "done" };
  const before = known.get(key);
  if (snapshot === undefined || !snapshot.facts.activation.isActive || isBarred(tombstone, snapshot.facts)) {
    known.delete(key); // so that the next round tries again
    metrics.setTombstone(tombstone, undefined);
    return { kind: "done" };
  }
  const deleted = await deleteOne(tombstone, context);
  if (deleted === "modified") return { kind: "retry" };
  const timesInARow = deleted.state === before?.state ? before.timesInARow + 1 : 0;
  known.set(key, { ...deleted, timesInARow });
  metrics.setTombstone(tombstone, deleted.state);
  for (const one of deleted.events)
    if (before?.events.every(({ note }) => note !== one.note) !== false)
      recordObjectEvent(one, { hco: snapshot.hco, ref: tombstone, runtime });
  return deleted.state === 0
    ? { kind: "done" }
    : { kind: "requeueAt", atMs: clock.wall() + tombstoneRetryMs({ state: deleted.state, timesInARow }) };
}

/** Returns the retry delay. For a kept object it is the longest one, because a user has to act first. */
export function tombstoneRetryMs({ state, timesInARow }: Pick<TombstoneRecord, "state" | "timesInARow">): number {
  return state === -2 ? longestMs : Math.min(longestMs, firstMs * 2 ** timesInARow);
}

/** Deletes one object. Returns `modified` if the object changed concurrently, for an immediate retry. */
async function deleteOne(
  tombstone: Tombstone,
  { cluster }: Pick<ReconcileContext, "cluster">,
): Promise<TombstoneResult | "modified"> {
  const name = objectName(tombstone);
  const failed = (why: string): TombstoneResult => ({
    state: -1,
    events: warningEvent("TombstoneFailed", `Failed to delete tombstoned resource ${name}: ${why}`),
  });
  const reading = await cluster.read(tombstone);
  if (reading.kind === "absent" || reading.kind === "missing") return { state: 0, events: [] };
  if (reading.kind !== "found") return failed(reading.message);
  const removal = decideTombstone(reading.object);
  if (removal.kind === "keep")
    return {
      state: -2,
      events: warningEvent("TombstoneSkipped", `Skipped tombstone deletion for ${name}: ${removal.why}`),
    };
  const { uid, resourceVersion } = removal;
  const outcome = await cluster.remove(tombstone, { manager, force: false, expect: { uid, resourceVersion } });
  if (outcome.kind === "stale") return "modified";
  if (outcome.kind === "done" || outcome.kind === "missing")
    return { state: 0, events: normalEvent("TombstoneDeleted", `Deleted tombstoned resource ${name}`) };
  return failed(explainFailure(outcome, tombstone));
}
