import type { KubeObject } from "@virt/api";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { accountName, operatorAccount } from "../../world/account.ts";
import { startProgram } from "../../world/program.ts";
import { startWorld, type World } from "../../world/world.ts";

const swap = "/apis/machineconfiguration.openshift.io/v1/machineconfigs/50-virt-swap-enable";
const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const density = "virt-higher-density";
let world: World;

beforeAll(async () => {
  world = await startWorld();
  await world.simulate("three-workers");
  await world.startOperator();
  const platform = await operatorAccount(world.server, "platform");
  const flags = ["--controllers=platform", "--activation=opt-in", "--health-probe-bind-address=0"];
  const program = startProgram("virt-operator", [...flags, `--kubeconfig=${platform.kubeconfig}`]);
  afterAll(() => program.kill());
});
afterAll(() => world[Symbol.asyncDispose]());

const read = async (path: string) => (await world.server.request({ path })).body as KubeObject;
const until = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 45_000, interval: 50 });
const annotate = async (annotations: Readonly<Record<string, string | null>>) => {
  const { status } = await world.server.request({ method: "PATCH", path: hco, body: { metadata: { annotations } } });
  expect(status).toBe(200);
};
const events = async () => JSON.stringify((await world.server.request({ path: "/apis/events.k8s.io/v1/events" })).body);
const platformWrites = () =>
  world.server
    .audit()
    .filter(
      ({ user, verb, requestURI }) =>
        user.username === accountName("platform") &&
        !["get", "list", "watch"].includes(verb) &&
        !/\/(events|leases|configmaps\/virt-platform-operator-report)/.test(requestURI),
    );

test("nothing is written before somebody opts in", async () => {
  await world.configs.until(density, "Ignored");
  expect(platformWrites()).toEqual([]);
});

test("a plan that was approved governs its purpose, and the platform yields until it is ignored", async () => {
  await world.configs.edit(density, { action: "Apply" });
  await world.configs.until(density, "Completed");
  await annotate({ "platform.kubevirt.io/autopilot": "swap-enable" });
  await until(async () => expect(await events()).toContain("GovernedByPlan"));
  expect((await world.server.request({ path: swap })).status).toBe(404);

  await world.configs.edit(density, { action: "Ignore" });
  await world.configs.until(density, "Ignored");
  await world.server.request({
    method: "DELETE",
    path: "/apis/machineconfiguration.openshift.io/v1/machineconfigs/90-worker-kubelet-swap",
  });
  await until(async () => expect((await world.server.request({ path: swap })).status).toBe(200));
});

test("a list names what is applied, and a typo in it is told", async () => {
  await annotate({
    "platform.kubevirt.io/autopilot": "swap-enable,swop-enable",
    "platform.kubevirt.io/enable-swop": "true",
  });
  await until(async () => {
    const told = await events();
    expect(told).toContain('Unknown asset or group \\"swop-enable\\"');
    expect(told).toContain("did you mean");
  });
  expect(
    (await world.server.request({ path: "/api/v1/namespaces/virt-platform-operator-system/services" })).body,
  ).toMatchObject({
    items: [],
  });
});

test("a feature that is switched off is deleted only where that is asked for", async () => {
  await annotate({ "platform.kubevirt.io/autopilot": "true", "platform.kubevirt.io/enable-swap": "false" });
  await until(async () => {
    const { labels } = (await read(hco)).metadata;
    expect(labels).toMatchObject({ "platform.kubevirt.io/managed-by": "virt-platform-operator" });
  });
  expect((await world.server.request({ path: swap })).status).toBe(200);
  await annotate({ "platform.kubevirt.io/prune": "true" });
  await until(async () => expect((await world.server.request({ path: swap })).status).toBe(404));
  await until(async () => expect(await events()).toContain("AssetPruned"));
});
