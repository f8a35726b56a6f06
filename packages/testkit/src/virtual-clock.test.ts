import { expect, test } from "vitest";
import { VirtualClock } from "./virtual-clock.ts";

test("timers run in order of time, then of creation", async () => {
  const clock = new VirtualClock();
  const ran: string[] = [];
  const schedule = (name: string, ms: number) => clock.schedule(ms, () => ran.push(`${name} at ${clock.monotonic()}`));
  schedule("late", 20);
  schedule("early", 5);
  schedule("as early", 5);
  schedule("never", 15)();
  await clock.advance(19);
  expect(ran).toEqual(["early at 5", "as early at 5"]);
  expect(clock.nextInMs).toBe(1);
  await clock.advance(1);
  expect(ran.at(-1)).toBe("late at 20");
  expect(clock.scheduled).toBe(0);
});

test("runs timers that promises schedule during an advance", async () => {
  const clock = new VirtualClock();
  const times: number[] = [];
  const chain = async () => {
    for (let round = 0; round < 3; round++) {
      for (let hop = 0; hop < 50; hop++) await Promise.resolve(); // oxlint-disable-line no-await-in-loop -- a long chain
      await new Promise<void>((resolve) => void clock.schedule(10, resolve)); // oxlint-disable-line no-await-in-loop -- one after another
      times.push(clock.monotonic());
    }
  };
  const chained = chain();
  await clock.advance(100);
  await chained;
  expect(times).toEqual([10, 20, 30]);
});

test("freezing delays timers, and suspending advances only the wall clock", () => {
  const clock = new VirtualClock(0);
  const ran: number[] = [];
  clock.schedule(10, () => ran.push(clock.monotonic()));
  clock.suspend(1_000);
  expect([clock.monotonic(), clock.wall()]).toEqual([0, 1_000]);
  clock.freeze(500);
  expect(ran).toEqual([]);
  clock.elapse(0);
  expect(ran).toEqual([500]);
  clock.stepWall(-1_500);
  expect([clock.monotonic(), clock.wall()]).toEqual([500, 0]);
});
