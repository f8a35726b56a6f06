import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { observe, startElapsed } from "./elapsed.ts";

type Happening = { readonly what: "advance" | "freeze" | "suspend" | "set"; readonly ms: number };

/** True time, and what was measured, if the clocks are looked at after each happening. */
function measure(happenings: readonly Happening[]): { readonly trueMs: number; readonly measuredMs: number } {
  const clock = new VirtualClock();
  const look = () => ({ monotonicMs: clock.monotonic(), wallMs: clock.wall() });
  let elapsed = startElapsed(look());
  const from = elapsed.totalMs;
  let trueMs = 0;
  for (const { what, ms } of happenings) {
    if (what === "set") clock.stepWall(ms);
    else if (what === "suspend") clock.suspend(Math.abs(ms));
    else clock.freeze(Math.abs(ms));
    if (what !== "set") trueMs += Math.abs(ms);
    elapsed = observe(elapsed, look());
  }
  return { trueMs, measuredMs: elapsed.totalMs - from };
}

const cases: readonly { readonly reason: string; readonly happenings: readonly Happening[]; readonly ms: number }[] = [
  { reason: "time that goes by is measured", happenings: [{ what: "advance", ms: 700 }], ms: 700 },
  { reason: "a suspended machine is measured", happenings: [{ what: "suspend", ms: 9_000 }], ms: 9_000 },
  {
    reason: "a clock set forward counts as time: it cannot be told from a suspended machine",
    happenings: [{ what: "set", ms: 3_600_000 }],
    ms: 3_600_000,
  },
  {
    reason: "a clock set back hides no time",
    happenings: [
      { what: "set", ms: -3_600_000 },
      { what: "advance", ms: 400 },
    ],
    ms: 400,
  },
  {
    reason: "a clock set back hides no suspended machine either",
    happenings: [
      { what: "set", ms: -60_000 },
      { what: "suspend", ms: 30_000 },
    ],
    ms: 30_000,
  },
  {
    reason: "a clock set back after the machine was suspended does not take that back",
    happenings: [
      { what: "suspend", ms: 30_000 },
      { what: "set", ms: -30_000 },
      { what: "suspend", ms: 5_000 },
    ],
    ms: 35_000,
  },
];

test.each(cases)("$reason", ({ happenings, ms }) => {
  expect(measure(happenings).measuredMs).toBe(ms);
});

const happening = fc.record({
  what: fc.constantFrom<Happening["what"]>("advance", "freeze", "suspend", "set"),
  ms: fc.oneof(fc.integer({ min: -10, max: 10 }), fc.integer({ min: -90_000, max: 90_000 })),
});

test("whatever is done to the clocks, no time is hidden but for 2 ms each time that one is set", () => {
  const law = fc.property(fc.array(happening, { maxLength: 30 }), (happenings) => {
    const { trueMs, measuredMs } = measure(happenings);
    return measuredMs >= trueMs - 2 * happenings.filter(({ what }) => what === "set").length;
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("a wall clock that ticks in whole milliseconds adds no more than it is noisy, however often it is looked at", () => {
  const law = fc.property(fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { maxLength: 200 }), (pauses) => {
    let now = 0;
    const look = () => ({ monotonicMs: now, wallMs: Math.floor(now) });
    let elapsed = startElapsed(look());
    for (const pause of pauses) {
      now += pause;
      elapsed = observe(elapsed, look());
    }
    return elapsed.totalMs <= now + 1;
  });
  fc.assert(law, { numRuns: 20_000 });
});
