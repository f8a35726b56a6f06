import fc from "fast-check";
import { expect, test } from "vitest";
import { SimulatedTimers } from "./simulated-timers.ts";

test("a timer elapses at its time and not before", () => {
  const first = new SimulatedTimers(100, new Map());
  expect([first.hasElapsed("reboot", 50), first.nextDue]).toEqual([false, 150]);
  const early = new SimulatedTimers(149, first.pending);
  expect(early.hasElapsed("reboot", 50)).toBe(false);
  const inTime = new SimulatedTimers(150, early.pending);
  expect([inTime.hasElapsed("reboot", 50), inTime.nextDue]).toEqual([true, undefined]);
});

test("a timer that is not polled in a round restarts", () => {
  const asked = new SimulatedTimers(0, new Map());
  asked.hasElapsed("render", 10);
  const silent = new SimulatedTimers(5, asked.pending);
  const again = new SimulatedTimers(10, silent.pending);
  expect(again.hasElapsed("render", 10)).toBe(false);
});

test("each timer elapses exactly at its own time, in order", () => {
  const waits = fc.uniqueArray(fc.nat(1000), { minLength: 1, maxLength: 12, size: "max" });
  const law = fc.property(waits, (all) => {
    const seen: number[] = [];
    let pending: ReadonlyMap<string, number> = new Map();
    for (let now: number | undefined = 0; now !== undefined; ) {
      const timers: SimulatedTimers = new SimulatedTimers(now, pending);
      for (const ms of all) if (timers.hasElapsed(`${ms}`, ms) && !seen.includes(ms)) seen.push(now === ms ? ms : -1);
      pending = timers.pending;
      now = timers.nextDue;
    }
    expect(seen).toEqual(all.toSorted((left, right) => left - right));
  });
  fc.assert(law);
});
