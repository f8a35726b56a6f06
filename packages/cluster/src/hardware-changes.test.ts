// Tests that a hardware change takes effect only after 10 minutes of identical readings.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  changeWords,
  countReported,
  followHardware,
  type Hardware,
  type HardwareMemory,
  hardwareWaitMs,
  nextHardwareDueMs,
  readHardware,
} from "./hardware.ts";

const minute = 60_000;
const wall = Date.UTC(2026, 10, 18, 21);
const nothing = readHardware([]);
const withNuma: Hardware = { ...nothing, numaNodesPresent: true };

type Step = { readonly atMs: number; readonly reading: Hardware | undefined };

/** Returns the memory after each step. */
function follow(steps: readonly Step[]): readonly (HardwareMemory | undefined)[] {
  let memory: HardwareMemory | undefined;
  return steps.map(({ atMs, reading }) => {
    memory = followHardware(memory, reading, { wallMs: wall + atMs, monotonicMs: atMs });
    return memory;
  });
}

const at = (minutes: number, reading: Hardware | undefined): Step => ({ atMs: minutes * minute, reading });
const numaAfter = (...steps: readonly Step[]) => follow(steps).at(-1)?.hardware.numaNodesPresent;

test("the first reading counts immediately", () => {
  expect(numaAfter(at(0, withNuma))).toBe(true);
});

test("a change counts after 10 minutes", () => {
  expect(numaAfter(at(0, nothing), at(1, withNuma), { atMs: 11 * minute - 1, reading: withNuma })).toBe(false);
  expect(numaAfter(at(0, nothing), at(1, withNuma), at(11, withNuma))).toBe(true);
  expect(numaAfter(at(0, withNuma), at(1, nothing), at(11, nothing))).toBe(false);
});

test("a reverted change stops waiting", () => {
  expect(numaAfter(at(0, nothing), at(1, withNuma), at(5, nothing), at(6, withNuma), at(11, withNuma))).toBe(false);
  expect(follow([at(0, nothing), at(1, withNuma), at(5, nothing)]).at(-1)?.changes).toEqual([]);
});

test("a gap restarts the wait and keeps the counted value", () => {
  expect(numaAfter(at(0, nothing), at(1, withNuma), at(5, undefined), at(6, withNuma), at(12, withNuma))).toBe(false);
  expect(numaAfter(at(0, nothing), at(1, withNuma), at(5, undefined), at(6, withNuma), at(16, withNuma))).toBe(true);
  expect(numaAfter(at(0, withNuma), at(1, undefined), at(2, withNuma))).toBe(true);
});

test("each detector waits separately, and a third value restarts the wait", () => {
  const [small, smaller] = [24, 25].map((podSubnetPrefix) => ({ ...withNuma, podSubnetPrefix }));
  const memories = follow([at(0, nothing), at(1, withNuma), at(2, small), at(6, smaller), at(11, smaller)]);
  expect(memories.at(-1)?.hardware).toMatchObject({ numaNodesPresent: true, podSubnetPrefix: undefined });
  expect(memories.at(-1)?.changes).toMatchObject([{ name: "podSubnetPrefix", counted: null, seen: 25 }]);
});

test("reports when the next change counts, and describes it", () => {
  const memory = follow([at(0, nothing), at(1, withNuma), at(3, { ...withNuma, gpuPresent: true })]).at(-1);
  expect(memory && nextHardwareDueMs(memory)).toBe(11 * minute);
  expect(memory?.changes.map(changeWords)).toEqual([
    "numaNodesPresent=true, takes effect at 2026-11-18T21:11:00Z",
    "gpuPresent=true, takes effect at 2026-11-18T21:13:00Z",
  ]);
  expect(nextHardwareDueMs({ hardware: nothing, changes: [] })).toBeUndefined();
});

const anyReading = fc.option(
  fc.record({ numaNodesPresent: fc.boolean(), podSubnetPrefix: fc.constantFrom(undefined, 23, 24) }),
  { nil: undefined, freq: 12 },
);
const anyStep = fc.record({ afterMs: fc.integer({ min: 0, max: 7 * minute }), reading: anyReading });

test("a value counts only after 10 minutes without a break", () => {
  const law = fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
    let atMs = 0;
    const timed = steps.map(({ afterMs, reading }) => {
      atMs += afterMs;
      return { atMs, reading: reading && { ...nothing, ...reading } };
    });
    const memories = follow(timed);
    const start = timed.findIndex(({ reading }) => reading !== undefined);
    for (const of of ["numaNodesPresent", "podSubnetPrefix"] as const) {
      for (const [place, memory] of memories.entries()) {
        if (place <= start) continue;
        const isChanged = memory?.hardware[of] !== memories[place - 1]?.hardware[of];
        expect(isChanged, `step ${place} of ${of}`).toBe(
          hasLasted(timed.slice(start, place + 1), of, memories[place - 1]),
        );
      }
    }
  });
  fc.assert(law);
});

/** Reports whether the last readings had the same new value for 10 minutes. Written independently of the code under test. */
function hasLasted(steps: readonly Step[], of: keyof Hardware, before: HardwareMemory | undefined): boolean {
  const last = steps.at(-1);
  if (last?.reading === undefined) return false;
  const value = last.reading[of];
  if (value === before?.hardware[of]) return false;
  const broken = steps.findLastIndex(({ reading }) => reading === undefined || reading[of] !== value);
  const since = steps[broken + 1]?.atMs ?? last.atMs;
  return last.atMs - since >= hardwareWaitMs;
}

test("another process applies a reported change until it counts or reverts", () => {
  const [numa] = follow([at(0, nothing), at(1, withNuma)]).at(-1)?.changes ?? [];
  const reported = numa === undefined ? [] : [numa];
  const numaAt = (minutes: number, seen: Hardware) => countReported(seen, reported, wall + minutes * minute);
  expect(numaAt(5, withNuma)).toEqual({ hardware: nothing, changes: reported });
  expect(numaAt(11, withNuma)).toEqual({ hardware: withNuma, changes: [] });
  expect(numaAt(5, nothing)).toEqual({ hardware: nothing, changes: [] });
});
