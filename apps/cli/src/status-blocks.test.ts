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

test("status lists the objects that a deleted or ignored config left in place", () => {
  const leftBehind = [{ apiVersion: "v1", kind: "MachineConfig", name: "99-worker-psi-karg" }];
  const ignored = { ...config, status: { phase: "Ignored", leftBehind } } as VirtPlatformConfig;
  const options = { now: 0, program: "k", countVms: () => undefined, isDetailed: false, rolling: [] };
  expect(JSON.stringify(statusBlocks(ignored, options))).toContain(
    "Left in place by an earlier plan: MachineConfig '99-worker-psi-karg'.",
  );
  expect(JSON.stringify(statusBlocks(config, options))).not.toContain("Left in place");
});
