import fc from "fast-check";
import { expect, test } from "vitest";
import {
  appliedItem,
  deschedulerItem,
  observedItem,
  observedWith,
  psi,
  secondsAgo,
} from "./testing/observed-fixtures.ts";
import { readDuration, shiftTimes, writeDuration } from "./times.ts";

test.each([
  ["24h", 86_400_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["45s", 45_000],
  ["250ms", 250],
  ["1m1m", 120_000],
  ["0s", 0],
])("%s is %d ms", (text, ms) => {
  expect(readDuration(text)).toBe(ms);
});

test.each(["", "24", "abc", "-5m", "5 m", "1h ", ".5h", "1d"])("%j is not a duration", (text) => {
  expect(readDuration(text)).toBeUndefined();
});

test.each([
  [45_000, "45s"],
  [1_801_000, "30m1s"],
  [86_400_000, "24h0m0s"],
  [999, "0s"],
  [-5, "0s"],
])("%d ms is written as %s", (ms, text) => {
  expect(writeDuration(ms)).toBe(text);
});

test("a written duration is read back in whole seconds", () => {
  const law = fc.property(
    fc.nat({ max: 1e9 }),
    (ms) => readDuration(writeDuration(ms)) === Math.floor(ms / 1000) * 1000,
  );
  fc.assert(law);
});

test("shifts the start times of waits, but no shown times", () => {
  const items = [observedItem(appliedItem(psi())), observedItem(deschedulerItem({ corrections: [secondsAgo(20)] }))];
  const rollouts = [{ machineConfig: "99", startTime: secondsAgo(50), before: [] }];
  const { stored } = observedWith("InProgress", { items, stored: { rollouts } });
  const shifted = shiftTimes(stored, 30_000);
  expect(shifted.items?.[0]?.rollout?.startTime).toBe(secondsAgo(30));
  expect(shifted.items?.[1]?.corrections).toEqual([secondsAgo(-10)]);
  expect(shifted.rollouts?.[0]?.startTime).toBe(secondsAgo(20));
  expect(shifted.conditions).toEqual(stored.conditions);
  expect(shiftTimes(shifted, -30_000)).toEqual(stored);
});
