// Hardware over time: a change counts once it has lasted 10 minutes, because labels come and go while nodes restart.

import { readTime, writeTime } from "@virt/engine";
import { detectors, type Hardware } from "./hardware.ts";

export const hardwareWaitMs = 600_000;

const fields = [...detectors, "podSubnetPrefix"] as const satisfies readonly (keyof Hardware)[];

type HardwareValue = Hardware[keyof Hardware];

/** A change that nodes report and that does not count yet. Null: the value is not known. */
export type HardwareChange = {
  readonly name: keyof Hardware;
  readonly counted: boolean | number | null;
  readonly seen: boolean | number | null;
  /** When it counts, unless it changes back: wall time, for display. */
  readonly countsAt: string;
};

/** The hardware that assets are decided by. */
export type CountedHardware = { readonly hardware: Hardware; readonly changes: readonly HardwareChange[] };

type WaitingChange = HardwareChange & {
  /** In monotonic milliseconds. */
  readonly dueMs: number;
};

/** What a process has read so far. It may be lost: the next reading counts at once. */
export type HardwareMemory = { readonly hardware: Hardware; readonly changes: readonly WaitingChange[] };

export type ReadingTime = { readonly wallMs: number; readonly monotonicMs: number };

/** Adds a reading. Undefined: nodes cannot be read now, so every wait starts again with the next reading. */
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

/** When the next change counts if nothing else is read, in monotonic milliseconds. */
export function nextHardwareDueMs({ changes }: HardwareMemory): number | undefined {
  return changes.length === 0 ? undefined : Math.min(...changes.map(({ dueMs }) => dueMs));
}

/**
 * Hardware as a controller counts it that reported these changes: for a process that has read the nodes only once.
 * A change that nodes no longer report, or that counts by now, has no effect.
 */
export function countReported(seen: Hardware, reported: readonly HardwareChange[], nowMs: number): CountedHardware {
  const changes = reported.filter(
    (change) => shown(seen[change.name]) === change.seen && (readTime(change.countsAt) ?? 0) > nowMs,
  );
  const counted = Object.fromEntries(changes.map(({ name, counted }) => [name, counted ?? undefined]));
  return { hardware: { ...seen, ...counted }, changes };
}

/** The words for a change, such as "numaNodesPresent=true, takes effect at 2026-11-18T21:10:00Z". */
export function changeWords({ name, seen, countsAt }: HardwareChange): string {
  return `${name}=${seen ?? "unknown"}, takes effect at ${countsAt}`;
}
