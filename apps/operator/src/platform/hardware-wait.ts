// Follows the hardware of the nodes.

import { type CountedHardware, followHardware, type Hardware, nextHardwareDueMs, readHardware } from "@virt/cluster";
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

/** Returns when a change takes effect, in monotonic milliseconds. Undefined if none is waiting. */
export function hardwareDueMs({ records: { cluster } }: WaitingRuntime): number | undefined {
  return cluster.hardware && nextHardwareDueMs(cluster.hardware);
}
