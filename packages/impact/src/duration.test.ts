import { readVirtSettings, readVmFact } from "@virt/cluster";
import { expect, test } from "vitest";
import { assessDurations, durationText, migrationRate, type NodeLoad, restartBounds } from "./duration.ts";
import { vmObject } from "./testing/cluster-builder.ts";

const settings = readVirtSettings(undefined, undefined);
const GiB = 2 ** 30;

test.each([
  { reason: "no limit", bandwidth: 0, timeout: 150, low: 2, high: 16 },
  { reason: "a high limit", bandwidth: GiB, timeout: 150, low: 2, high: 16 },
  { reason: "an effective limit", bandwidth: 64 * 2 ** 20, timeout: 150, low: 16, high: 32 },
  { reason: "a timeout that bounds a low limit", bandwidth: 10 * 2 ** 20, timeout: 150, low: 102.4, high: 150 },
  { reason: "a timeout below the lower bound", bandwidth: 0, timeout: 1, low: 2, high: 2 },
])("seconds per GiB with $reason", ({ bandwidth, timeout, low, high }) => {
  const rate = migrationRate([], { ...settings, bandwidth, timeoutPerGiB: timeout });
  expect(rate).toEqual({ low, high, source: "default", isCancelled: false });
});

test("migrations are cancelled if a GiB exceeds the timeout", () => {
  const rate = migrationRate([], { ...settings, bandwidth: 2 ** 20, timeoutPerGiB: 150 });
  expect(rate).toEqual({ low: 1024, high: 1024, source: "default", isCancelled: true });
});

const migrated = (seconds: number, more: Readonly<Record<string, boolean | string>> = {}, gib = 1) => {
  const endTimestamp = `2026-01-01T00:${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}Z`;
  const migrationState = { completed: true, startTimestamp: "2026-01-01T00:00:00Z", endTimestamp, ...more };
  return readVmFact(vmObject(`vm-${seconds}`, "a", { gib, status: { migrationState } }));
};

test("five migrations are a history: nearest ranks of 25 and 90 percent", () => {
  const vms = [50, 10, 30, 20, 40].map((seconds) => migrated(seconds));
  expect(migrationRate(vms, settings)).toMatchObject({ low: 20, high: 50, source: "history" });
  expect(migrationRate(vms.slice(1), settings).source).toBe("default");
});

test("failed, incomplete, post-copy and reversed migrations do not count", () => {
  const vms = [1, 2, 3, 4].map((seconds) => migrated(seconds));
  const others = [
    migrated(5, { failed: true }),
    migrated(5, { completed: false }),
    migrated(5, { mode: "PostCopy" }),
    migrated(5, { startTimestamp: "2027-01-01T00:00:00Z" }),
  ];
  expect(migrationRate([...vms, ...others], settings).source).toBe("default");
});

test("a small guest counts as 1 GiB, a large one by size", () => {
  const vms = [1, 2, 3, 4, 5].map(() => migrated(20, {}, 10));
  expect(migrationRate(vms, settings)).toMatchObject({ low: 2, high: 2 });
});

test.each([
  { reason: "bare metal", of: ["Reboot", [], "BareMetal"], bounds: [600, 1800, "default"] },
  { reason: "an unknown platform", of: ["Reboot", [], ""], bounds: [600, 1800, "default"] },
  { reason: "a cloud", of: ["Reboot", [], "AWS"], bounds: [300, 900, "default"] },
  { reason: "three samples", of: ["Reboot", [700, 500, 600], "AWS"], bounds: [500, 700, "observed"] },
  { reason: "two samples", of: ["Reboot", [700, 500], "AWS"], bounds: [300, 900, "default"] },
  { reason: "a drain", of: ["Drain", [700, 500, 600], "AWS"], bounds: [30, 120, "default"] },
  { reason: "a reload", of: ["Reload", [], "AWS"], bounds: [10, 60, "default"] },
  { reason: "no change", of: ["None", [], "AWS"], bounds: [0, 0, "default"] },
] as const)("restart time: $reason", ({ of: [disruption, samples, platform], bounds }) => {
  const { low, high, source } = restartBounds(disruption, samples, platform);
  expect([low, high, source]).toEqual(bounds);
});

const input = { rate: migrationRate([], settings), settings, shape: { isSingleReplica: false, platform: "" } };
const idle: NodeLoad = {
  class: "Drain",
  migrations: { count: 0, bytes: 0, largest: 0 },
  gracePeriodSeconds: undefined,
};
const poolOf = (nodes: readonly NodeLoad[], atOnce = 1) => ({ name: "worker", atOnce, nodes, restartSamples: [] });
const alone = (node: NodeLoad, isSingleReplica = false) =>
  assessDurations([poolOf([node])], { ...input, shape: { isSingleReplica, platform: "" } }).plan;

test.each([
  { reason: "none within the first attempt", grace: 90, high: 90 },
  { reason: "1 minute within ten minutes", grace: 91, high: 151 },
  { reason: "5 minutes after ten minutes", grace: 601, high: 901 },
])("retry pause: $reason", ({ grace, high }) => {
  expect(alone({ ...idle, gracePeriodSeconds: grace })?.high).toBe(high + 120);
});

test("without a drain, only grace periods count", () => {
  expect(alone({ ...idle, class: "Reboot", gracePeriodSeconds: 180 }, true)).toEqual({ low: 600, high: 1980 });
  expect(alone({ ...idle, class: "Reload", gracePeriodSeconds: 180 })).toEqual({ low: 10, high: 60 });
});

test("a large VM takes its time with any number of lanes", () => {
  const node = { ...idle, migrations: { count: 2, bytes: 101 * GiB, largest: 100 * GiB } };
  expect(alone(node)?.low).toBe(5 + 200 + 30);
});

test("more nodes at a time do not raise the low bound", () => {
  const loaded = { ...idle, migrations: { count: 100, bytes: 400 * GiB, largest: 4 * GiB } };
  const nodes = [loaded, ...Array.from({ length: 9 }, () => idle)];
  const low = (atOnce: number) => assessDurations([poolOf(nodes, atOnce)], input).plan?.low ?? 0;
  expect(low(10)).toBeLessThanOrEqual(low(5));
  expect(low(5)).toBeLessThanOrEqual(low(1));
});

test("no pools have no duration", () => {
  expect(assessDurations([], input).plan).toBeUndefined();
});

test.each([
  { low: 600, high: 1980, text: "10–35 minutes" },
  { low: 120, high: 720, text: "up to 15 minutes" },
  { low: 3325, high: 13_332, text: "55 minutes to 4 hours" },
  { low: 1284, high: 4668, text: "20 minutes to 1.5 hours" },
  { low: 299, high: 3600, text: "up to 1 hour" },
  { low: 299, high: 3599, text: "up to 60 minutes" },
  { low: 3599, high: 3600, text: "55 minutes to 1 hour" },
  { low: 3600, high: 36_000, text: "1–10 hours" },
  { low: 9468, high: 36_000, text: "2.5–10 hours" },
  { low: 9468, high: 36_001, text: "2–11 hours" },
  { low: 19_000, high: 136_592, text: "5–38 hours" },
  { low: 600, high: 600, text: "10 minutes" },
])("$low to $high seconds are $text", ({ low, high, text }) => {
  expect(durationText({ low, high })).toBe(text);
});
