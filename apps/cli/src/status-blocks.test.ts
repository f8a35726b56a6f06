import type { RolloutStatus, VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { rollingPoolBlocks } from "./rolling-pools.ts";
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

test("status suggests --watch unless it is already watching", () => {
  expect(JSON.stringify(nextOf(false))).toContain("--watch");
  expect(JSON.stringify(nextOf(true))).not.toMatch(/--watch|follow|run/u);
});

test("status lists objects that a deleted or ignored config left in place", () => {
  const leftBehind = [{ apiVersion: "v1", kind: "MachineConfig", name: "99-worker-psi-karg" }];
  const ignored = { ...config, status: { phase: "Ignored", leftBehind } } as VirtPlatformConfig;
  const options = { now: 0, program: "k", countVms: () => undefined, isDetailed: false, rolling: [] };
  expect(JSON.stringify(statusBlocks(ignored, options))).toContain(
    "Left in place by an earlier plan: MachineConfig '99-worker-psi-karg'.",
  );
  expect(JSON.stringify(statusBlocks(config, options))).not.toContain("Left in place");
  const unread = leftBehind.map((one) => ({ ...one, unread: true }));
  const unchecked = { ...config, status: { phase: "Ignored", leftBehind: unread } } as VirtPlatformConfig;
  const shown = JSON.stringify(statusBlocks(unchecked, options));
  expect(shown).toContain(
    "Cannot check whether an earlier plan left these objects behind: MachineConfig '99-worker-psi-karg'.",
  );
  expect(shown).not.toContain("Left in place");
});

test("status names unread inputs and does not report all clear", () => {
  const pool = { name: "worker", total: 3, done: 1, inHand: 1, waiting: 1, degraded: 0 };
  const more = { pools: 0, nodes: 0, findings: 0 };
  const rollout = { summary: "", pools: [pool], nodes: [], findings: [], more };
  const rollouts = [{ machineConfig: "a", startTime: "2026-01-01T00:00:00Z", before: [] }];
  const options = { now: 0, program: "k", countVms: () => undefined, isDetailed: false, rolling: [] };
  const shown = (gaps?: Partial<RolloutStatus>) => {
    const status = { ...config.status, rollouts, rollout: { ...rollout, ...gaps } };
    return JSON.stringify(statusBlocks({ ...config, status }, options));
  };
  const gap = { what: "VirtualMachineInstance", reason: "Forbidden", message: "403 Forbidden" } as const;
  expect(shown({ notAssessed: [gap] })).toContain(
    "Found no blocking cause, but could not check: VirtualMachineInstance.",
  );
  expect(shown({ notAssessed: [gap] })).toContain("VirtualMachineInstance: Forbidden (403 Forbidden)");
  expect(shown()).not.toContain("could not check");
});

test("status lists VMs that stopped during a rollout with their start commands", () => {
  const pool = { name: "worker", total: 3, done: 3, inHand: 0, waiting: 0, degraded: 0 };
  const stoppedVms = { total: 2, listed: [{ namespace: "vms", name: "pinned-0" }] };
  const more = { pools: 0, nodes: 0, findings: 0 };
  const rollout = { summary: "", pools: [pool], nodes: [], findings: [], more, stoppedVms };
  const shown = (done: number) => {
    const items = [{ name: "psi", state: "Completed", targetRef: { kind: "MachineConfig", name: "a" }, message: "" }];
    const status = { phase: "Completed", items, rollout: { ...rollout, pools: [{ ...pool, done }] } };
    const options = { now: 0, program: "k", countVms: () => undefined, isDetailed: true, rolling: [] };
    return JSON.stringify(statusBlocks({ ...config, status } as unknown as VirtPlatformConfig, options));
  };
  expect(shown(3)).toContain("vms/pinned-0: virtctl start pinned-0 -n vms");
  expect(shown(3)).toContain("and 1 more");
  expect(shown(2)).not.toContain("virtctl start");
});

test("status -o wide shows the start time of nodes and findings", () => {
  const pool = { name: "worker", total: 3, done: 1, inHand: 1, waiting: 1, degraded: 0 };
  const node = { name: "w-0", pool: "worker", phase: "Draining", since: "2026-01-01T00:00:00Z" } as const;
  const found = { id: "DrainSlow", severity: "blocking", message: "slow", since: "2026-01-01T00:02:00Z" } as const;
  const more = { pools: 0, nodes: 0, findings: 0 };
  const rollout = { summary: "", pools: [pool], nodes: [node], findings: [found], more };
  const rollouts = [{ machineConfig: "a", startTime: node.since, before: [] }];
  const options = { program: "k", countVms: () => undefined, isDetailed: false, rolling: [] };
  const shown = (isWide: boolean) => {
    const now = Date.parse("2026-01-01T00:05:00Z");
    const blocks = statusBlocks(
      { ...config, status: { ...config.status, rollouts, rollout } },
      { ...options, now, isWide },
    );
    return JSON.stringify(blocks);
  };
  expect(shown(true)).toContain("for 5m since 2026-01-01T00:00:00Z");
  expect(shown(true)).toContain("(3m since 2026-01-01T00:02:00Z)");
  expect(shown(false)).not.toContain("since");
});

test("status shows a stuck rollout as Stuck in red", () => {
  const stalled = { type: "Stalled", status: "True", reason: "RolloutStuck", message: "", lastTransitionTime: "" };
  const stuck = { ...config, status: { phase: "InProgress", conditions: [stalled] } } as unknown as VirtPlatformConfig;
  const options = { now: 0, program: "k", countVms: () => undefined, isDetailed: false, rolling: [] };
  expect(JSON.stringify(statusBlocks(stuck, options))).toContain('{"text":"Stuck","style":"bad"}');
  expect(JSON.stringify(statusBlocks(config, options))).toContain('{"text":"InProgress","style":"warning"}');
});

test("status shows the cause of an updating pool unless its plan does", () => {
  const pool = { name: "worker", total: 12, done: 3, inHand: 1, waiting: 8, degraded: 0 };
  const rollout = { summary: "", pools: [pool], nodes: [], findings: [], more: { pools: 0, nodes: 0, findings: 0 } };
  const rollouts = [{ machineConfig: "a", startTime: "2026-01-01T00:00:00Z", before: [] }];
  const rolling = (name: string) => ({
    name,
    total: 12,
    updated: 3,
    unavailable: 0,
    degraded: 0,
    isPaused: false,
    causes: [{ kind: "plan", configs: ["x"] } as const],
  });
  const options = { now: 0, isDetailed: false };
  const running = { ...config, status: { ...config.status, rollouts, rollout } } as VirtPlatformConfig;
  const shown = (name: string, one: VirtPlatformConfig) =>
    JSON.stringify(rollingPoolBlocks([rolling(name)], [one], options));
  expect(shown("worker", running)).toBe("[]");
  expect(shown("infra", running)).toContain("Pool infra is updating");
  const ignored = { ...running, status: { ...running.status, phase: "Ignored" } } as VirtPlatformConfig;
  expect(shown("worker", ignored)).toContain("Pool worker is updating");
});
