import type { VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { statusBlocks } from "./status-blocks.ts";

const config = {
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  metadata: { name: "x", generation: 1 },
  spec: { profile: "x", action: "Apply" },
  status: { phase: "InProgress", observedGeneration: 1 },
} as unknown as VirtPlatformConfig;

const nextOf = (isWatching: boolean) =>
  statusBlocks(config, {
    now: 0,
    program: "k",
    countVms: () => undefined,
    isDetailed: false,
    isWatching,
    rolling: [],
  }).find(({ kind }) => kind === "next");

test("status points at --watch, and a watching status does not", () => {
  expect(JSON.stringify(nextOf(false))).toContain("--watch");
  expect(JSON.stringify(nextOf(true))).not.toMatch(/--watch|follow|run/u);
});
