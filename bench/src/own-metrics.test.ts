import { expect, test } from "vitest";
import { readSeries } from "./own-metrics.ts";

const text = [
  "# HELP workqueue_adds_total Keys added to the work queue.",
  'workqueue_adds_total{name="advisor"} 3',
  'workqueue_adds_total{name="platform"} 1024',
  "",
].join("\n");

test("finds a series by name and labels", () => {
  expect(readSeries(text, 'workqueue_adds_total{name="platform"}')).toBe(1_024);
});

test("a missing series is zero", () => {
  expect(readSeries(text, 'workqueue_adds_total{name="nobody"}')).toBe(0);
});
