import { fieldManagers, type JsonMap } from "@virt/api";
import { appliedBy, asList, asText, at, isNoFields, readOwners } from "@virt/engine";
import { objectAnnotations } from "@virt/platform";
import { type FaultProxy, type Plan, startFaultProxy } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../../world/account.ts";
import { type Golden, startGolden, untilConverged } from "./golden.ts";
import { hcoPath } from "./site.ts";

const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";
let golden: Golden;
let proxy: FaultProxy;

beforeAll(async () => {
  golden = await startGolden();
  const { server } = golden.world;
  proxy = await startFaultProxy({ server });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  await golden.world.startOperator({ flags: ["--activation=always"], kubeconfig });
  await untilConverged(golden);
});
afterEach(() => proxy.disarm());
afterAll(async () => {
  await golden[Symbol.asyncDispose]();
  await proxy.stop();
});

const pathOf = (name: string) => golden.targets.find(({ ref }) => ref.name === name)?.path ?? "";
const status = async (path: string) => (await golden.world.server.request({ path })).status;
const untilGone = (path: string) => golden.until(async () => expect(await status(path)).toBe(404));
const wish = (annotations: Readonly<Record<string, string | null>>) => {
  const entries = Object.entries(annotations).map(([key, text]) => [`platform.kubevirt.io/${key}`, text] as const);
  return golden.edit(hcoPath, { metadata: { annotations: Object.fromEntries(entries) } });
};
const told = async (reason: string): Promise<readonly string[]> => {
  const { body } = await golden.world.server.request({ path: "/apis/events.k8s.io/v1/events" });
  const events = asList(at(body as JsonMap, "items")).filter((event) => at(event, "reason") === reason);
  return events.flatMap((event) => asText(at(event, "note")) ?? []);
};
const breaks = (plan: Pick<Plan, "trigger" | "fault">) => proxy.arm({ name: "a request of the prune", ...plan });

test("the fields of a part that is switched off go with it, and those of the other parts stay", async () => {
  const kubelet = pathOf("virt-perf-settings");
  const settings = async () => at(await golden.read(kubelet), "spec", "kubeletConfig");
  const devices = async () => at(await golden.read(hcoPath), "spec", "permittedHostDevices");
  expect(await settings()).toMatchObject({ cpuManagerPolicy: "static", maxPods: 500 });
  const { pciHostDevices } = (await devices()) as JsonMap;
  await wish({ prune: "true", "feature-gates": null, "usb-devices": null });
  const rest = { nodeStatusMaxImages: 500, maxPods: 500, topologyManagerPolicy: "best-effort" };
  await golden.until(async () => expect(await settings()).toEqual(rest));
  await golden.until(async () => expect(await devices()).toEqual({ pciHostDevices }));
});

test("a shared object goes when the parts that made it are off, whatever else keeps the others from it", async () => {
  const kubelet = pathOf("virt-perf-settings");
  const labels = { "feature.node.kubernetes.io/memory-numa": null };
  await golden.edit("/api/v1/nodes/worker-0", { metadata: { labels } });
  await golden.until(async () => {
    const state = asText(at(await golden.read(kubelet), "metadata", "annotations", objectAnnotations.state));
    expect(state).not.toContain("numa-topology");
  });
  await wish({ "enable-kubelet-performance-settings": "false" });
  await untilGone(kubelet);
  await golden.until(async () =>
    expect(await told("AssetPruned")).toContain(
      "Deleted KubeletConfig//virt-perf-settings because feature kubelet-settings is switched off",
    ),
  );
});

test("what is excluded is not pruned, and goes once it is not", async () => {
  const [descheduler, argument] = [pathOf("cluster"), pathOf("99-openshift-machineconfig-worker-psi-karg")];
  await wish({ "disabled-resources": "[{kind: KubeDescheduler, name: '*'}]" });
  await wish({ "enable-loadaware": "false" });
  await untilGone(argument);
  expect(await status(descheduler)).toBe(200);
  await wish({ "disabled-resources": "[{kind: KubeDescheduler" }); // a typo does not switch exclusions off
  await wish({ "enable-mtv": "false" });
  await untilGone(pathOf("forklift-controller"));
  expect(await status(descheduler)).toBe(200);
  await wish({ "disabled-resources": null });
  await untilGone(descheduler);
});

test("what a plan is in charge of is not pruned, and goes once the plan is ignored", async () => {
  const { server } = golden.world;
  const swap = pathOf("50-virt-swap-enable");
  const plan = {
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    kind: "VirtPlatformConfig",
    metadata: { name: "virt-higher-density" },
    spec: { profile: "virt-higher-density", action: "Apply" },
  };
  expect((await server.request({ method: "POST", path: configs, body: plan })).status).toBe(201);
  const path = `${configs}/virt-higher-density`;
  await golden.edit(`${path}/status`, { status: { executedGeneration: 1 } });
  await golden.until(async () => expect((await told("GovernedByPlan")).join()).toContain("50-virt-swap-enable"));
  await wish({ "enable-swap": "false", "enable-metallb": "false" });
  await untilGone(pathOf("metallb"));
  expect(await status(swap)).toBe(200);
  await golden.edit(path, { spec: { action: "Ignore" } });
  await untilGone(swap);
});

const faults: readonly (Pick<Plan, "trigger" | "fault"> & { readonly reason: string })[] = [
  {
    reason: "the object cannot be read",
    trigger: { on: "request", number: 1, matching: { verb: "get", resource: "uiplugins" } },
    fault: { kind: "answer", status: 500 },
  },
  {
    reason: "the object cannot be deleted",
    trigger: { on: "request", number: 1, matching: { verb: "delete", resource: "uiplugins" } },
    fault: { kind: "answer", status: 500 },
  },
  {
    reason: "somebody was faster",
    trigger: { on: "request", number: 1, matching: { verb: "delete", resource: "uiplugins" } },
    fault: { kind: "answer", status: 409 },
  },
];

test.each(faults)("one failure does not end a prune: $reason", async ({ trigger, fault }) => {
  const plugin = pathOf("monitoring");
  await wish({ "enable-observability": "true" });
  await golden.until(async () => expect(await status(plugin)).toBe(200));
  breaks({ trigger, fault });
  await wish({ "enable-observability": "false" });
  await untilGone(plugin);
});

test("what was there before us is let go of, in spite of a failure: it keeps its values and loses our marks", async () => {
  const check = pathOf("virt-node-health-check");
  const before = await golden.read(check);
  const state = before.metadata.annotations?.[objectAnnotations.state] ?? "";
  const adopted = { annotations: { [objectAnnotations.state]: state.replace('"created":true,', "") } };
  await golden.edit(check, { metadata: adopted });
  const matching = { verb: "patch", resource: "nodehealthchecks" } as const;
  breaks({ trigger: { on: "request", number: 2, matching }, fault: { kind: "answer", status: 500 } });
  await wish({ "enable-node-health-check": "false" });
  await golden.until(async () => {
    const { metadata, ...live } = await golden.read(check);
    expect(isNoFields(appliedBy(readOwners({ metadata, ...live }), fieldManagers.platform))).toBe(true);
    expect(metadata.labels ?? {}).toEqual({});
    expect(metadata.annotations ?? {}).toEqual({});
    expect(live["spec"]).toEqual(before["spec"]);
  });
});
