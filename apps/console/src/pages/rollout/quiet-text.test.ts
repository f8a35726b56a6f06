import type { VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { quietText } from "./quiet-text.ts";

const textOf = (status: object) =>
  quietText(
    { metadata: { name: "load-aware" }, spec: { action: "Ignore" }, status } as unknown as VirtPlatformConfig,
    0,
  );
const rollout = (done: number) => ({
  summary: "",
  pools: [{ name: "worker", total: 12, done, inHand: 0, waiting: 12 - done, degraded: 0 }],
  nodes: [],
  findings: [],
  more: { pools: 0, nodes: 0, findings: 0 },
});

test.each([3, 12])("reports the last count of a profile ignored at %i of 12 nodes", (done) => {
  const planHash = "a".repeat(64);
  expect(textOf({ phase: "Ignored", planHash, rollout: rollout(done) })).toBe(
    `The advisor has stopped tracking the last rollout of load-aware. Its last count: ${done} of 12 nodes updated.`,
  );
});

test("reports no changed nodes only without a rollout", () => {
  expect(textOf({ phase: "Ignored" })).toBe("load-aware has not changed any nodes.");
  expect(textOf({ phase: "ReviewRequired", planHash: "b", rollout: rollout(12) })).toBe(
    "This plan has not applied anything yet. No node has started to update.",
  );
});
