import fc from "fast-check";
import { expect, test } from "vitest";
import { Agenda } from "./agenda.ts";

test("what is waited for passes when its time has come, and not before", () => {
  const first = new Agenda(100, new Map());
  expect([first.passed("reboot", 50), first.next]).toEqual([false, 150]);
  const early = new Agenda(149, first.open);
  expect(early.passed("reboot", 50)).toBe(false);
  const inTime = new Agenda(150, early.open);
  expect([inTime.passed("reboot", 50), inTime.next]).toEqual([true, undefined]);
});

test("what nobody asked for in a round starts anew", () => {
  const asked = new Agenda(0, new Map());
  asked.passed("render", 10);
  const silent = new Agenda(5, asked.open);
  const again = new Agenda(10, silent.open);
  expect(again.passed("render", 10)).toBe(false);
});

test("from moment to moment everything passes exactly at its own time, in order of time", () => {
  const waits = fc.uniqueArray(fc.nat(1000), { minLength: 1, maxLength: 12, size: "max" });
  const law = fc.property(waits, (all) => {
    const seen: number[] = [];
    let timers: ReadonlyMap<string, number> = new Map();
    for (let now: number | undefined = 0; now !== undefined; ) {
      const agenda: Agenda = new Agenda(now, timers);
      for (const ms of all) if (agenda.passed(`${ms}`, ms) && !seen.includes(ms)) seen.push(now === ms ? ms : -1);
      timers = agenda.open;
      now = agenda.next;
    }
    expect(seen).toEqual(all.toSorted((left, right) => left - right));
  });
  fc.assert(law, { numRuns: 20_000 });
});
