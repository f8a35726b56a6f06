import type { KubeObject } from "@virt/api";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { accountName, operatorAccount } from "../support/account.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const swap = "/apis/machineconfiguration.openshift.io/v1/machineconfigs/50-virt-swap-enable";
const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const density = "virt-higher-density";
let testCluster: TestCluster;
let program: RunningProgram;

beforeAll(async () => {
  testCluster = await startTestCluster();
  await testCluster.simulate("no-vms");
  await testCluster.startOperator();
  const platform = await operatorAccount(testCluster.server, "platform");
  const flags = ["--controllers=platform", "--activation=opt-in", "--health-probe-bind-address=0"];
  program = startProgram("virt-operator", [...flags, `--kubeconfig=${platform.kubeconfig}`]);
});
afterAll(async () => {
  await program.kill();
  await testCluster[Symbol.asyncDispose]();
});

const read = async (path: string) => (await testCluster.server.request({ path })).body as KubeObject;
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000, interval: 50 });
const annotate = async (annotations: Readonly<Record<string, string | null>>) => {
  const { status } = await testCluster.server.request({
    method: "PATCH",
    path: hco,
    body: { metadata: { annotations } },
  });
  expect(status).toBe(200);
};
const events = async () =>
  JSON.stringify((await testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" })).body);
const platformWrites = () =>
  testCluster.server
    .audit()
    .filter(
      ({ user, verb, requestURI }) =>
        user.username === accountName("platform") &&
        !["get", "list", "watch"].includes(verb) &&
        !/\/(events|leases|configmaps\/virt-platform-operator-(report|governance))/.test(requestURI),
    );

test("writes nothing before the opt-in", async () => {
  await testCluster.configs.until(density, "Ignored");
  expect(platformWrites()).toEqual([]);
});

test("yields to an approved plan until the user sets the switch again", async () => {
  await testCluster.configs.edit(density, { action: "Apply" });
  await testCluster.configs.until(density, "Completed");
  await annotate({ "platform.kubevirt.io/autopilot": "swap-enable" });
  await until(async () => expect(await events()).toContain("GovernedByPlan"));
  expect((await testCluster.server.request({ path: swap })).status).toBe(404);

  await testCluster.configs.edit(density, { action: "Ignore" });
  await testCluster.configs.until(density, "Ignored");
  await testCluster.server.request({
    method: "DELETE",
    path: "/apis/machineconfiguration.openshift.io/v1/machineconfigs/90-worker-kubelet-swap",
  });
  await until(async () => expect(await events()).toContain("ReleasedByPlan"));
  expect((await testCluster.server.request({ path: swap })).status).toBe(404);
  await annotate({ "platform.kubevirt.io/enable-swap": "true" });
  await until(async () => expect((await testCluster.server.request({ path: swap })).status).toBe(200));
});

test("applies only listed assets and reports an unknown name", async () => {
  await annotate({
    "platform.kubevirt.io/autopilot": "swap-enable,swop-enable",
    "platform.kubevirt.io/enable-swop": "true",
  });
  await until(async () => {
    const reports = await events();
    expect(reports).toContain('Unknown asset or group \\"swop-enable\\"');
    expect(reports).toContain("did you mean");
  });
  expect(
    (await testCluster.server.request({ path: "/api/v1/namespaces/virt-platform-operator-system/services" })).body,
  ).toMatchObject({
    items: [],
  });
});

test("deletes the object of a disabled feature only if prune is set", async () => {
  await annotate({ "platform.kubevirt.io/autopilot": "true", "platform.kubevirt.io/enable-swap": "false" });
  await until(async () => {
    const { labels } = (await read(hco)).metadata;
    expect(labels).toMatchObject({ "platform.kubevirt.io/managed-by": "virt-platform-operator" });
  });
  expect((await testCluster.server.request({ path: swap })).status).toBe(200);
  await annotate({ "platform.kubevirt.io/prune": "true" });
  await until(async () => expect((await testCluster.server.request({ path: swap })).status).toBe(404));
  await until(async () => expect(await events()).toContain("AssetPruned"));
});
