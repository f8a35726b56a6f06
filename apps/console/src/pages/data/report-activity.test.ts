import { expect, test } from "vitest";
import { reportActivity } from "./report-activity.ts";

test("reports the first input immediately and further input once a minute", () => {
  const target = new EventTarget();
  const clock = { now: 0 };
  const reports: number[] = [];
  reportActivity(
    target,
    () => clock.now,
    () => void reports.push(clock.now),
  );
  for (clock.now = 0; clock.now < 180_000; clock.now += 7_000) target.dispatchEvent(new Event("pointermove"));
  expect(reports).toEqual([0, 63_000, 126_000]);
});

test("reports nothing without input", () => {
  const reports: number[] = [];
  reportActivity(
    new EventTarget(),
    () => 0,
    () => void reports.push(0),
  );
  expect(reports).toEqual([]);
});
