// Delays hardware changes by 10 minutes, because node labels can disappear while nodes restart.

import { readTime, writeTime } from "@virt/objects";
import { detectors, type Hardware } from "./hardware.ts";

export const hardwareWaitMs = 600_000;

const fields = [...detectors, "podSubnetPrefix"] as const satisfies readonly (keyof Hardware)[];

type HardwareValue = Hardware[keyof Hardware];

/** A hardware change that is not in effect yet. A null value is unknown. */
export type HardwareChange = {
  readonly name: keyof Hardware;
  readonly counted: boolean | number | null;
  readonly seen: boolean | number | null;
  /** When the change takes effect, unless it reverts before that. In wall-clock time, for display. */
  readonly countsAt: string;
};

/** The hardware in effect, and changes that are not in effect yet. */
export type CountedHardware = { readonly hardware: Hardware; readonly changes: readonly HardwareChange[] };

type WaitingChange = HardwareChange & {
  readonly dueMs: number;
};

/** The readings of this process. If there are none, the next reading takes effect immediately. */
export type HardwareMemory = { readonly hardware: Hardware; readonly changes: readonly WaitingChange[] };

export type ReadingTime = { readonly wallMs: number; readonly monotonicMs: number };

/** Adds a reading. If the nodes could not be read (undefined), the delay of all pending changes restarts. */
export function followHardware(
  before: HardwareMemory | undefined,
  reading: Hardware | undefined,
  time: ReadingTime,
): HardwareMemory | undefined {
  if (reading === undefined) return before && { ...before, changes: [] };
  if (before === undefined) return { hardware: reading, changes: [] };
  const waiting = fields.flatMap((name) => waitingChange(name, reading, before, time));
  const [due, changes] = [waiting.filter(isDue), waiting.filter((one) => !isDue(one))];
  const counted = Object.fromEntries(due.map(({ name }) => [name, reading[name]]));
  return { hardware: { ...before.hardware, ...counted }, changes };

  function isDue({ dueMs }: WaitingChange): boolean {
    return time.monotonicMs >= dueMs;
  }
}

function waitingChange(
  name: keyof Hardware,
  reading: Hardware,
  before: HardwareMemory,
  { wallMs, monotonicMs }: ReadingTime,
): readonly WaitingChange[] {
  const [counted, seen] = [shown(before.hardware[name]), shown(reading[name])];
  if (seen === counted) return [];
  const known = before.changes.find((change) => change.name === name && change.seen === seen);
  if (known !== undefined) return [known];
  const dueMs = monotonicMs + hardwareWaitMs;
  return [{ name, counted, seen, dueMs, countsAt: writeTime(Math.ceil((wallMs + hardwareWaitMs) / 1000) * 1000) }];
}

function shown(value: HardwareValue): HardwareChange["seen"] {
  return value ?? null;
}

/** Returns when the next pending change takes effect, in monotonic milliseconds. Another reading can still revert it. */
export function nextHardwareDueMs({ changes }: HardwareMemory): number | undefined {
  return changes.length === 0 ? undefined : Math.min(...changes.map(({ dueMs }) => dueMs));
}

/** Applies pending changes from a controller's report, unless they have reverted. For programs that do not watch nodes. */
export function countReported(seen: Hardware, reported: readonly HardwareChange[], nowMs: number): CountedHardware {
  const changes = reported.filter(
    (change) => shown(seen[change.name]) === change.seen && (readTime(change.countsAt) ?? 0) > nowMs,
  );
  const counted = Object.fromEntries(changes.map(({ name, counted }) => [name, counted ?? undefined]));
  return { hardware: { ...seen, ...counted }, changes };
}

/** Formats a change, such as "numaNodesPresent=true, takes effect at 2026-11-18T21:10:00Z". */
export function changeWords({ name, seen, countsAt }: HardwareChange): string {
  return `${name}=${seen ?? "unknown"}, takes effect at ${countsAt}`;
}
