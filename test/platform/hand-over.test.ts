// A hand-over from the advisor reboots nothing: the platform controller waits until the user sets the switch again.

import type { KubeObject } from "@virt/api";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { accountName, operatorAccount } from "../support/account.ts";
import { hcoPath, runCommand } from "../support/platform-cluster.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const density = "virt-higher-density";
const prefix = "platform.kubevirt.io/";
const swap = "/apis/machineconfiguration.openshift.io/v1/machineconfigs/50-virt-swap-enable";
const record = "/api/v1/namespaces/virt-platform-operator-system/configmaps/virt-platform-operator-governance";
const rollback = { action: "Apply", options: { virtHigherDensity: { enableSwap: false } } };
let testCluster: TestCluster;
let start: () => RunningProgram;
let platform: RunningProgram;

beforeAll(async () => {
  testCluster = await startTestCluster();
  await testCluster.simulate("no-vms");
  await testCluster.startOperator();
  const { kubeconfig } = await operatorAccount(testCluster.server, "platform");
  const flags = ["--controllers=platform", "--activation=opt-in", "--health-probe-bind-address=0"];
  start = () => startProgram("virt-operator", [...flags, `--kubeconfig=${kubeconfig}`]);
  platform = start();
});
afterAll(async () => {
  await platform.kill();
  await testCluster[Symbol.asyncDispose]();
});

const statusOf = async (path: string) => (await testCluster.server.request({ path })).status;
const read = async (path: string) => (await testCluster.server.request({ path })).body as KubeObject;
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000, interval: 50 });
const annotate = async (annotations: Readonly<Record<string, string | null>>) => {
  const said = Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`${prefix}${key}`, value]));
  const body = { metadata: { annotations: said } };
  expect((await testCluster.server.request({ method: "PATCH", path: hcoPath, body })).status).toBe(200);
};
const notes = async (reason: string) => {
  const { body } = await testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
  type Event = { readonly reason: string; readonly note: string };
  return (body as { readonly items: readonly Event[] }).items.filter((event) => event.reason === reason);
};
const recorded = async () => (await read(record))["data"] as Readonly<Record<string, string>> | undefined;
const recordSays = (text: string) => until(async () => expect((await recorded())?.["governance.json"]).toContain(text));
const explained = async () =>
  (await runCommand("explain", "swap-enable", `--kubeconfig=${testCluster.server.kubeconfig}`)).stdout;
const swapWrites = () =>
  testCluster.server
    .audit()
    .filter(
      ({ user, verb, requestURI }) =>
        user.username === accountName("platform") && verb !== "get" && requestURI.startsWith(`${swap}?`),
    );

async function approve(): Promise<void> {
  await testCluster.configs.edit(density, { action: "Apply", options: null });
  await testCluster.configs.until(density, ({ executedGeneration }) => executedGeneration !== undefined);
  await annotate({ autopilot: "swap-enable" });
  await testCluster.configs.until(density, "Completed");
}

async function takeBack(): Promise<void> {
  await testCluster.configs.edit(density, rollback);
  await testCluster.configs.until(density, (status) => status.phase === "Completed" && status.items?.length !== 0);
  await until(async () =>
    expect(await statusOf("/apis/machineconfiguration.openshift.io/v1/machineconfigs/90-worker-kubelet-swap")).toBe(
      404,
    ),
  );
  await testCluster.configs.until(density, "Completed");
}

/** The controller answers a hand-over in one of these two ways. */
async function handedOver(): Promise<void> {
  await until(async () => {
    const isReported = (await notes("ReleasedByPlan")).length > 0;
    expect(isReported || (await statusOf(swap)) === 200).toBe(true);
  });
}

test("does not apply the asset after the plan is rolled back and ignored", async () => {
  await testCluster.configs.until(density, "Ignored");
  await approve();
  await takeBack();
  await testCluster.configs.edit(density, { action: "Ignore" });
  await testCluster.configs.until(density, "Ignored");
  await handedOver();
  expect(await statusOf(swap)).toBe(404);
  await recordSays('"released":{"swap-enable"');
});

test("event and explain name the plan and the command that applies the asset", async () => {
  const ask =
    "kubectl annotate hco kubevirt-hyperconverged -n openshift-cnv platform.kubevirt.io/enable-swap=true --overwrite";
  const [reports] = await notes("ReleasedByPlan");
  expect(reports?.note).toContain(`VirtPlatformConfig ${density} managed it until it was ignored or deleted`);
  expect(reports?.note).toContain(`Next: to apply the asset, which reboots nodes, run ${ask}`);
  const text = await explained();
  expect(text).toContain("EXCLUDED, ReleasedByPlan");
  expect(text).toContain(`set its switch again, which reboots nodes: ${ask}`);
});

test("neither a restart nor a removed annotation applies the asset", async () => {
  const before = (await recorded())?.["governance.json"];
  await platform.kill();
  platform = start();
  await annotate({ autopilot: "swap-enable,node-health-check" });
  await annotate({ autopilot: null });
  await until(async () => expect((await recorded())?.["governance.json"]).not.toBe(before));
  expect(await statusOf(swap)).toBe(404);
  expect(swapWrites()).toEqual([]);
});

test("applies the asset if its switch is set after the hand-over", async () => {
  await annotate({ autopilot: "swap-enable" });
  await until(async () => expect(await statusOf(swap)).toBe(200));
  await until(async () => expect(await explained()).toContain("INCLUDED"));
});

test("a plan deleted while the controller is down releases its objects", async () => {
  await annotate({ "enable-swap": "false", prune: "true" });
  await until(async () => expect(await statusOf(swap)).toBe(404));
  await annotate({ "enable-swap": null, prune: null, autopilot: null });
  await testCluster.configs.edit(density, { action: "Apply", options: null });
  await testCluster.configs.until(density, ({ executedGeneration }) => executedGeneration !== undefined);
  await annotate({ autopilot: "swap-enable" });
  await recordSays(`"governed":{"swap-enable":"${density}"}`);
  await testCluster.configs.until(density, "Completed");
  await takeBack();
  await platform.kill();
  await testCluster.configs.remove(density);
  const writes = swapWrites().length;
  platform = start();
  await recordSays('"released":{"swap-enable"');
  await until(async () => expect(await explained()).toContain("ReleasedByPlan"));
  expect(await statusOf(swap)).toBe(404);
  expect(swapWrites()).toHaveLength(writes);
});
