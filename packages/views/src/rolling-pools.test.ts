import type { KubeObject, VirtPlatformConfig } from "@virt/api";
import { expect, test } from "vitest";
import { rollingPools, rollingPoolText } from "./rolling-pools.ts";
import { platformWritesOf } from "./rollout-causes.ts";

type PoolShape = {
  readonly name?: string;
  readonly target?: readonly string[];
  readonly reached?: readonly string[];
  readonly isUpdating?: boolean;
  readonly paused?: boolean;
};

const began = "2026-01-01T10:00:00Z";
const configuration = (sources: readonly string[]) => ({
  name: `rendered-${sources.join("-")}`,
  source: sources.map((name) => ({ kind: "MachineConfig", name })),
});

function pool({ name = "worker", target = ["00"], reached = target, isUpdating = false, paused = false }: PoolShape) {
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name, generation: 1 },
    spec: { paused, configuration: configuration(target) },
    status: {
      observedGeneration: 1,
      configuration: configuration(reached),
      machineCount: 12,
      updatedMachineCount: 3,
      readyMachineCount: 11,
      unavailableMachineCount: 1,
      degradedMachineCount: 0,
      conditions: [{ type: "Updating", status: isUpdating ? "True" : "False", lastTransitionTime: began }],
    },
  } as unknown as KubeObject;
}

const none = { configs: [], platformWrites: [] };
const config = (done: number, status: object = { phase: "InProgress", rollouts }) =>
  ({
    metadata: { name: "load-aware" },
    spec: { profile: "load-aware", action: "Apply" },
    status: { rollout: { pools: [{ name: "worker", total: 12, done }] }, ...status },
  }) as unknown as VirtPlatformConfig;
const rollouts = [{ machineConfig: "99-psi", startTime: began, before: [] }];
const textOf = (facts: Parameters<typeof rollingPools>[0]) => rollingPools(facts).map(rollingPoolText).join("\n");

test("shows the counts of the running plan, but not of an ended one", () => {
  const pools = [pool({ target: ["00"], reached: ["00", "99-psi"], isUpdating: true })];
  expect(rollingPools({ ...none, pools, configs: [config(0)] })).toMatchObject([{ total: 12, updated: 0 }]);
  const ended = config(0, { phase: "Completed" });
  expect(rollingPools({ ...none, pools, configs: [ended] })).toMatchObject([{ total: 12, updated: 3 }]);
});

test("omits a pool without an update", () => {
  expect(rollingPools({ ...none, pools: [pool({})] })).toEqual([]);
});

test("shows workers that drain for the platform controller", () => {
  const platformWrites = [{ object: "MachineConfig 50-virt-swap-enable", lastWrite: began }];
  const pools = [pool({ target: ["00", "50-virt-swap-enable"], reached: ["00"], isUpdating: true })];
  const [rolling] = rollingPools({ configs: [], pools, platformWrites });
  expect(rolling?.causes).toEqual([{ kind: "platform", objects: ["MachineConfig 50-virt-swap-enable"] }]);
  expect(rolling === undefined ? "" : rollingPoolText(rolling)).toBe(
    "Pool worker is updating: 3 of 12 nodes updated, 1 unavailable. Cause: the platform controller (MachineConfig 50-virt-swap-enable).",
  );
});

test("recognizes a KubeletConfig by its generated MachineConfig", () => {
  const platformWrites = [{ object: "KubeletConfig virt-perf-settings", lastWrite: began }];
  const pools = [pool({ target: ["00", "99-worker-generated-kubelet"], reached: ["00"], isUpdating: true })];
  expect(rollingPools({ configs: [], pools, platformWrites })[0]?.causes).toEqual([
    { kind: "platform", objects: ["KubeletConfig virt-perf-settings"] },
  ]);
});

test("recently written content of a known MachineConfig is the cause", () => {
  const sources = ["00", "50-virt-swap-enable"];
  const pools = [pool({ target: sources, isUpdating: true })];
  const causes = (lastWrite: string) =>
    rollingPools({
      configs: [],
      pools,
      platformWrites: [{ object: "MachineConfig 50-virt-swap-enable", lastWrite }],
    })[0]?.causes[0]?.kind;
  expect(causes("2026-01-01T09:58:00Z")).toBe("platform");
  expect(causes("2026-01-01T08:00:00Z")).toBe("other");
});

test("names a plan until its nodes are updated", () => {
  const pools = [pool({ target: ["00", "psi"], reached: ["00"], isUpdating: true })];
  const causesWith = (done: number) => rollingPools({ ...none, pools, configs: [config(done)] })[0]?.causes;
  expect(causesWith(3)).toEqual([{ kind: "plan", configs: ["load-aware"] }]);
  expect(causesWith(12)).toEqual([{ kind: "other", machineConfigs: ["psi"] }]);
});

test("shows another client's change with its MachineConfigs", () => {
  const pools = [pool({ target: ["00", "hand-made"], reached: ["00", "gone"], isUpdating: true })];
  expect(rollingPools({ ...none, pools })[0]?.causes).toEqual([
    { kind: "other", machineConfigs: ["gone", "hand-made"] },
  ]);
});

test("without the platform controller's report, the cause is unknown", () => {
  const unread = { configs: [], platformWrites: undefined };
  const swap = textOf({
    ...unread,
    pools: [pool({ target: ["00", "50-virt-swap-enable"], reached: ["00"], isUpdating: true })],
  });
  expect(swap).toContain(
    "Cause: unknown, because the platform controller's report was not found or cannot be read. Changed: 50-virt-swap-enable.",
  );
  expect(textOf({ ...unread, pools: [pool({ isUpdating: true })] })).toMatch(
    /Cause: unknown, because the platform controller's report was not found or cannot be read\.$/,
  );
  const planned = [pool({ target: ["00", "psi"], reached: ["00"], isUpdating: true })];
  expect(rollingPools({ ...unread, pools: planned, configs: [config(3)] })[0]?.causes).toEqual([
    { kind: "plan", configs: ["load-aware"] },
  ]);
});

test("without the configs, the cause is unknown", () => {
  const pools = [pool({ target: ["00", "99-worker-psi-karg"], reached: ["00"], isUpdating: true })];
  expect(textOf({ configs: undefined, platformWrites: [], pools })).toContain(
    "Cause: unknown, because VirtPlatformConfigs cannot be listed. Changed: 99-worker-psi-karg.",
  );
});

test("shows a paused pool with a pending update", () => {
  const pools = [pool({ target: ["00", "new"], reached: ["00"], paused: true })];
  const [rolling] = rollingPools({ ...none, pools });
  expect(rolling === undefined ? "" : rollingPoolText(rolling)).toContain("is paused with a pending update");
});

test("with an unreadable leftover, the cause is unknown", () => {
  const leftBehind = [{ kind: "MachineConfig", name: "psi", unread: true }];
  const ignored = config(12, { phase: "Ignored", leftBehind });
  const pools = [pool({ target: ["00", "psi"], reached: ["00"], isUpdating: true })];
  const [rolling] = rollingPools({ ...none, pools, configs: [ignored] });
  expect(rolling?.causes).toEqual([{ kind: "unknown", machineConfigs: ["psi"], unread: ["object"] }]);
  expect(rolling === undefined ? "" : rollingPoolText(rolling)).toContain(
    "Cause: unknown, because an object of an earlier plan cannot be read. Changed: psi.",
  );
});

test("shows leftovers of a deleted config instead of another client", () => {
  const advertised = {
    metadata: { name: "load-aware" },
    spec: { profile: "load-aware", action: "Ignore" },
    status: { phase: "Ignored", leftBehind: [{ kind: "MachineConfig", name: "psi", appliedTime: began }] },
  } as unknown as VirtPlatformConfig;
  const pools = [pool({ target: ["00", "psi"], reached: ["00"], isUpdating: true })];
  const [rolling] = rollingPools({ ...none, pools, configs: [advertised] });
  expect(rolling?.causes).toEqual([{ kind: "leftover", configs: ["load-aware"], objects: ["MachineConfig psi"] }]);
  expect(rolling === undefined ? "" : rollingPoolText(rolling)).toContain(
    "Cause: MachineConfig psi, left in place by a plan of load-aware, which was deleted or is ignored.",
  );
  const rested = [pool({ target: ["00", "psi", "new"], reached: ["00", "psi"], isUpdating: true })];
  expect(rollingPools({ ...none, pools: rested, configs: [advertised] })[0]?.causes).toEqual([
    { kind: "other", machineConfigs: ["new"] },
  ]);
});

const leftBehind = [{ kind: "MachineConfig", name: "psi", appliedTime: began }];
const ignoredAt3 = config(3, { phase: "Ignored", leftBehind });

test("shows the leftover of a plan that was ignored during its rollout", () => {
  const pools = [pool({ target: ["00", "psi"], reached: ["00"], isUpdating: true })];
  expect(textOf({ ...none, pools, configs: [ignoredAt3] })).toBe(
    "Pool worker is updating: 3 of 12 nodes updated, 1 unavailable. Cause: MachineConfig psi, left in place by a plan of load-aware, which was deleted or is ignored.",
  );
});

test("an ignored plan does not cause a later rollout", () => {
  const pools = [pool({ target: ["00", "psi", "hand-made"], reached: ["00", "psi"], isUpdating: true })];
  expect(rollingPools({ ...none, pools, configs: [ignoredAt3] })[0]?.causes).toEqual([
    { kind: "other", machineConfigs: ["hand-made"] },
  ]);
});

test("does not show a deleted leftover as left in place", () => {
  const pools = [pool({ target: ["00"], reached: ["00", "psi"], isUpdating: true })];
  expect(rollingPools({ ...none, pools, configs: [ignoredAt3] })[0]?.causes).toEqual([
    { kind: "other", machineConfigs: ["psi"] },
  ]);
});

test("a plan is the cause before its nodes are counted", () => {
  const pools = [pool({ target: ["00", "99-psi"], reached: ["00"], isUpdating: true })];
  const items = [{ state: "InProgress", changes: true, targetRef: { kind: "MachineConfig", name: "99-psi" } }];
  for (const status of [
    { phase: "ReviewRequired", rollouts },
    { phase: "InProgress", items },
  ])
    expect(rollingPools({ ...none, pools, configs: [config(12, status)] })[0]?.causes).toEqual([
      { kind: "plan", configs: ["load-aware"] },
    ]);
});

test("a plan's MachineConfig without a config is not blamed on others", () => {
  const pools = [pool({ target: ["00", "99-worker-psi-karg"], reached: ["00"], isUpdating: true })];
  const text = "Cause: an earlier plan or another client changed 99-worker-psi-karg. No current plan manages it.";
  expect(textOf({ ...none, pools })).toContain(text);
  expect(textOf({ configs: [], platformWrites: undefined, pools })).toContain(text);
  const both = [pool({ target: ["00", "99-worker-psi-karg", "hand-made"], reached: ["00"], isUpdating: true })];
  expect(textOf({ ...none, pools: both })).toContain(`${text} Cause: another client changed hand-made.`);
  const items = [{ state: "Completed", targetRef: { kind: "MachineConfig", name: "99-worker-psi-karg" } }];
  expect(textOf({ ...none, pools, configs: [config(3, { phase: "Drafting", items })] })).toContain(text);
  expect(textOf({ ...none, pools, configs: [config(12, { phase: "Completed", items })] })).toContain(
    "Cause: another client changed 99-worker-psi-karg.",
  );
});

test("the platform controller's writes are unknown without readable reports", () => {
  const report = (text: string) =>
    ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "r" }, data: { "report.json": text } }) as KubeObject;
  const one = report(`{"objects":[{"object":"MachineConfig 50-virt-swap-enable","lastWrite":"${began}"}]}`);
  expect(platformWritesOf([one, report("{}")])).toEqual([
    { object: "MachineConfig 50-virt-swap-enable", lastWrite: began },
  ]);
  expect(platformWritesOf([])).toBeUndefined();
  expect(platformWritesOf([one, report("not JSON")])).toBeUndefined();
});
