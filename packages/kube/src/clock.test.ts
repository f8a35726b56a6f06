import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { advanceElapsed, startElapsed } from "./clock.ts";

type ClockStep = { readonly what: "advance" | "freeze" | "suspend" | "set"; readonly ms: number };

function measure(steps: readonly ClockStep[]): { readonly trueMs: number; readonly measuredMs: number } {
  const clock = new VirtualClock();
  const readClocks = () => ({ monotonicMs: clock.monotonic(), wallMs: clock.wall() });
  let elapsed = startElapsed(readClocks());
  const from = elapsed.totalMs;
  let trueMs = 0;
  for (const { what, ms } of steps) {
    if (what === "set") clock.stepWall(ms);
    else if (what === "suspend") clock.suspend(Math.abs(ms));
    else clock.freeze(Math.abs(ms));
    if (what !== "set") trueMs += Math.abs(ms);
    elapsed = advanceElapsed(elapsed, readClocks());
  }
  return { trueMs, measuredMs: elapsed.totalMs - from };
}

const cases: readonly { readonly reason: string; readonly steps: readonly ClockStep[]; readonly ms: number }[] = [
  { reason: "measures elapsed time", steps: [{ what: "advance", ms: 700 }], ms: 700 },
  { reason: "measures the time of a suspended machine", steps: [{ what: "suspend", ms: 9_000 }], ms: 9_000 },
  {
    reason: "counts a clock that is set forward",
    steps: [{ what: "set", ms: 3_600_000 }],
    ms: 3_600_000,
  },
  {
    reason: "ignores a clock that is set back",
    steps: [
      { what: "set", ms: -3_600_000 },
      { what: "advance", ms: 400 },
    ],
    ms: 400,
  },
  {
    reason: "measures a suspension after the clock was set back",
    steps: [
      { what: "set", ms: -60_000 },
      { what: "suspend", ms: 30_000 },
    ],
    ms: 30_000,
  },
  {
    reason: "keeps a measured suspension when the clock is set back",
    steps: [
      { what: "suspend", ms: 30_000 },
      { what: "set", ms: -30_000 },
      { what: "suspend", ms: 5_000 },
    ],
    ms: 35_000,
  },
];

test.each(cases)("$reason", ({ steps, ms }) => {
  expect(measure(steps).measuredMs).toBe(ms);
});

const step = fc.record({
  what: fc.constantFrom<ClockStep["what"]>("advance", "freeze", "suspend", "set"),
  ms: fc.oneof(fc.integer({ min: -10, max: 10 }), fc.integer({ min: -90_000, max: 90_000 })),
});

test("loses at most 2 ms each time a clock is set", () => {
  const law = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
    const { trueMs, measuredMs } = measure(steps);
    return measuredMs >= trueMs - 2 * steps.filter(({ what }) => what === "set").length;
  });
  fc.assert(law);
});

test("a coarse wall clock adds at most its resolution", () => {
  const law = fc.property(fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { maxLength: 200 }), (pauses) => {
    let now = 0;
    const readClocks = () => ({ monotonicMs: now, wallMs: Math.floor(now) });
    let elapsed = startElapsed(readClocks());
    for (const pause of pauses) {
      now += pause;
      elapsed = advanceElapsed(elapsed, readClocks());
    }
    return elapsed.totalMs <= now + 1;
  });
  fc.assert(law);
});
