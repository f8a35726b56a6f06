import type { Status, VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { rollingPoolBlocks } from "./rolling-pools.ts";
import { type StatusOptions, statusBlocks } from "./status-blocks.ts";

const past = "2026-01-01T00:00:00Z";
const inProgress: Status = { phase: "InProgress", observedGeneration: 1 };
const configIn = (status: object) =>
  ({
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    kind: "VirtPlatformConfig",
    metadata: { name: "x", generation: 1 },
    spec: { profile: "x", action: "Apply" },
    status,
  }) as unknown as VirtPlatformConfig;
const blocksOf = (status: object, given: Partial<StatusOptions> = {}) => {
  const options = { now: 0, program: "k", countVms: () => undefined, isDetailed: false, rolling: [], ...given };
  return statusBlocks(configIn(status), options);
};
const shown = (status: object, given: Partial<StatusOptions> = {}) => JSON.stringify(blocksOf(status, given));

const pool = { name: "worker", total: 3, done: 1, inHand: 1, waiting: 1, degraded: 0 };
const rolloutWith = (given: object = {}) => ({
  summary: "",
  pools: [pool],
  nodes: [],
  findings: [],
  more: { pools: 0, nodes: 0, findings: 0 },
  ...given,
});
const rolling = { ...inProgress, rollouts: [{ machineConfig: "a", startTime: past, before: [] }] };

test("status suggests --watch unless it is already watching", () => {
  const nextOf = (isWatching: boolean) =>
    JSON.stringify(blocksOf(inProgress, { isWatching }).find(({ kind }) => kind === "next"));
  expect(nextOf(false)).toContain("--watch");
  expect(nextOf(true)).not.toMatch(/--watch|follow|run/u);
});

test("status lists objects that a deleted or ignored config left in place", () => {
  const leftBehind = [{ apiVersion: "v1", kind: "MachineConfig", name: "99-worker-psi-karg" }];
  expect(shown({ phase: "Ignored", leftBehind })).toContain(
    "Left in place by an earlier plan: MachineConfig '99-worker-psi-karg'.",
  );
  expect(shown(inProgress)).not.toContain("Left in place");
  const unread = shown({ phase: "Ignored", leftBehind: leftBehind.map((one) => ({ ...one, unread: true })) });
  expect(unread).toContain(
    "Cannot check whether an earlier plan left these objects behind: MachineConfig '99-worker-psi-karg'.",
  );
  expect(unread).not.toContain("Left in place");
});

test("status names unread inputs and does not report all clear", () => {
  const notAssessed = [{ what: "VirtualMachineInstance", reason: "Forbidden", message: "403 Forbidden" }];
  const unread = shown({ ...rolling, rollout: rolloutWith({ notAssessed }) });
  expect(unread).toContain("Found no blocking cause, but could not check: VirtualMachineInstance.");
  expect(unread).toContain("VirtualMachineInstance: Forbidden (403 Forbidden)");
  expect(shown({ ...rolling, rollout: rolloutWith() })).not.toContain("could not check");
});

test("status lists VMs that stopped during a rollout with their start commands", () => {
  const stoppedVms = { total: 2, listed: [{ namespace: "vms", name: "pinned-0" }] };
  const items = [{ name: "psi", state: "Completed", targetRef: { kind: "MachineConfig", name: "a" }, message: "" }];
  const shownAt = (done: number) => {
    const pools = [{ ...pool, done, inHand: 0, waiting: 0 }];
    return shown({ phase: "Completed", items, rollout: rolloutWith({ pools, stoppedVms }) }, { isDetailed: true });
  };
  expect(shownAt(3)).toContain("vms/pinned-0: virtctl start pinned-0 -n vms");
  expect(shownAt(3)).toContain("and 1 more");
  expect(shownAt(2)).not.toContain("virtctl start");
});

test("status -o wide shows the start time of nodes and findings", () => {
  const nodes = [{ name: "w-0", pool: "worker", phase: "Draining", since: past }];
  const findings = [{ id: "DrainSlow", severity: "blocking", message: "slow", since: "2026-01-01T00:02:00Z" }];
  const now = Date.parse("2026-01-01T00:05:00Z");
  const shownAs = (isWide: boolean) =>
    shown({ ...rolling, rollout: rolloutWith({ nodes, findings }) }, { now, isWide });
  expect(shownAs(true)).toContain("for 5m since 2026-01-01T00:00:00Z");
  expect(shownAs(true)).toContain("(3m since 2026-01-01T00:02:00Z)");
  expect(shownAs(false)).not.toContain("since");
});

test("status shows a stuck rollout as Stuck in red", () => {
  const stalled = { type: "Stalled", status: "True", reason: "RolloutStuck", message: "", lastTransitionTime: "" };
  expect(shown({ phase: "InProgress", conditions: [stalled] })).toContain('{"text":"Stuck","style":"bad"}');
  expect(shown(inProgress)).toContain('{"text":"InProgress","style":"warning"}');
});

test("status shows the cause of an updating pool unless its plan does", () => {
  const causes = [{ kind: "plan", configs: ["x"] }] as const;
  const shownFor = (name: string, phase: string) => {
    const counts = { total: 12, updated: 3, unavailable: 0, degraded: 0, isPaused: false };
    const config = configIn({ ...rolling, phase, rollout: rolloutWith() });
    return JSON.stringify(rollingPoolBlocks([{ name, ...counts, causes }], [config], { now: 0, isDetailed: false }));
  };
  expect(shownFor("worker", "InProgress")).toBe("[]");
  expect(shownFor("infra", "InProgress")).toContain("Pool infra is updating");
  expect(shownFor("worker", "Ignored")).toContain("Pool worker is updating");
});
