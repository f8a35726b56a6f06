// Tracks the node hardware, and schedules the round in which a change takes effect.

import { type CountedHardware, followHardware, type Hardware, nextHardwareDueMs, readHardware } from "@virt/cluster";
import type { ReconcileResult } from "@virt/kube";
import type { ListResult } from "@virt/platform";
import type { PlatformRuntime } from "./runtime.ts";

type WaitingRuntime = Pick<PlatformRuntime, "records" | "clock">;

/** Reads the hardware from the nodes. Ignores incomplete and empty lists, because nodes may not have joined yet. */
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

/** Forgets the hardware when the controller becomes idle. The first reading after that takes effect immediately. */
export function forgetHardware({ records: { cluster } }: WaitingRuntime): void {
  cluster.hardware = undefined;
}

export function isHardwareDue(runtime: WaitingRuntime): boolean {
  const dueMs = dueMsOf(runtime);
  return dueMs !== undefined && dueMs <= runtime.clock.monotonic();
}

export function roundAfterWait(runtime: WaitingRuntime): ReconcileResult {
  const dueMs = dueMsOf(runtime);
  const { clock } = runtime;
  return dueMs === undefined ? { kind: "done" } : { kind: "requeueAt", atMs: clock.wall() + dueMs - clock.monotonic() };
}

function dueMsOf({ records: { cluster } }: WaitingRuntime): number | undefined {
  return cluster.hardware && nextHardwareDueMs(cluster.hardware);
}
