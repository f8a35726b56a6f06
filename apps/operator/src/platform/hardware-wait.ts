// Follows the hardware of the nodes across snapshots, and schedules the round in which a change starts to count.

import { type CountedHardware, followHardware, type Hardware, nextHardwareDueMs, readHardware } from "@virt/facts";
import type { ReconcileResult } from "@virt/kube";
import type { ListResult } from "@virt/platform";
import type { PlatformRuntime } from "./runtime.ts";

type WaitingRuntime = Pick<PlatformRuntime, "records" | "clock">;

/** Takes a reading. An incomplete list is none, and neither is an empty one: nodes may not have joined yet. */
export function countHardware(
  { items, unreadReason }: ListResult,
  { records: { cluster }, clock }: WaitingRuntime,
): (seen: Hardware) => CountedHardware {
  const reading = unreadReason === undefined && items.length > 0 ? readHardware(items) : undefined;
  const time = { wallMs: clock.wall(), monotonicMs: clock.monotonic() };
  cluster.hardware = followHardware(cluster.hardware, reading, time);
  const { hardware, changes = [] } = cluster.hardware ?? {};
  return (seen) => ({
    hardware: hardware ?? seen,
    changes: changes.map(({ dueMs: _ours, ...change }) => change),
  });
}

/** Nothing follows the nodes while the controller is idle: the first reading after it counts at once. */
export function forgetHardware({ records: { cluster } }: WaitingRuntime): void {
  cluster.hardware = undefined;
}

/** Reports whether a waiting change counts by now: a new snapshot has it. */
export function isHardwareDue(runtime: WaitingRuntime): boolean {
  const dueMs = dueMsOf(runtime);
  return dueMs !== undefined && dueMs <= runtime.clock.monotonic();
}

/** The next round over all objects, if a change waits. */
export function roundAfterWait(runtime: WaitingRuntime): ReconcileResult {
  const dueMs = dueMsOf(runtime);
  const { clock } = runtime;
  return dueMs === undefined ? { kind: "done" } : { kind: "requeueAt", atMs: clock.wall() + dueMs - clock.monotonic() };
}

function dueMsOf({ records: { cluster } }: WaitingRuntime): number | undefined {
  return cluster.hardware && nextHardwareDueMs(cluster.hardware);
}
