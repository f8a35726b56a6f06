// Runs a round over all objects. The HyperConverged comes first, because the other objects are rendered from it.

import type { ReconcileResult } from "@virt/kube";
import { objectKey } from "@virt/platform";
import { hardwareDueMs } from "./hardware-wait.ts";
import { isPresenceKnown, presenceDueMs } from "./presence.ts";
import { reportMissingHco } from "./report.ts";
import type { PlatformRuntime } from "./runtime.ts";
import { isHco, type Snapshot } from "./snapshot.ts";
import { dueTombstones } from "./tombstones.ts";
import type { SnapshotCache } from "./wanted-informers.ts";

export function startRound(runtime: PlatformRuntime, snapshots: SnapshotCache): ReconcileResult {
  const { clock } = runtime;
  if (isDue(runtime)) snapshots.changed("all");
  runtime.refresh();
  if (!isReadyToAct(runtime)) return { kind: "done" }; // the end of the missing read starts another round
  const hco = snapshots.current()?.objects.find(({ ref }) => isHco(ref));
  if (hco === undefined) reportMissingHco(runtime);
  else {
    const { cluster } = runtime.records;
    cluster.counts.begin();
    cluster.isRoundDue = true;
    runtime.queues.object(objectKey(hco.ref));
  }
  const dueMs = nextDueMs(runtime);
  return dueMs === undefined ? { kind: "done" } : { kind: "requeueAt", atMs: clock.wall() + dueMs - clock.monotonic() };
}

/** Reports whether the activation is certain. Before that, a decision could be that of another release. */
export function isReadyToAct(runtime: PlatformRuntime): boolean {
  return isPresenceKnown(runtime) && runtime.consent.isKnown();
}

/** Returns when hardware or the autopilot counts differently without an event, in monotonic milliseconds. */
function nextDueMs(runtime: PlatformRuntime): number | undefined {
  const due = [hardwareDueMs(runtime), presenceDueMs(runtime)].filter((ms) => ms !== undefined);
  return due.length === 0 ? undefined : Math.min(...due);
}

function isDue(runtime: PlatformRuntime): boolean {
  const dueMs = nextDueMs(runtime);
  return dueMs !== undefined && dueMs <= runtime.clock.monotonic();
}

/** Enqueues the other objects. `isHcoSettled` is true if no pending write or missing input can change the HyperConverged. */
export function continueRound(
  { content, objects, facts }: Snapshot,
  isHcoSettled: boolean,
  runtime: PlatformRuntime,
): void {
  const { queues, records } = runtime;
  const { cluster } = records;
  const isNewContent = isHcoSettled && cluster.settledHcoContent !== content;
  if (isNewContent) cluster.settledHcoContent = content;
  if (!isNewContent && !cluster.isRoundDue) return;
  cluster.isRoundDue = false;
  // Enqueues tombstones after the HyperConverged, because they need the schema that its reconcile reads.
  if (facts.activation.isActive) for (const key of dueTombstones(runtime)) queues.tombstone(key);
  for (const { ref } of objects) if (!isHco(ref)) queues.object(objectKey(ref));
}
