import { fieldManagers, type JsonMap } from "@virt/api";
import { appliedBy, asText, at, isNoFields, readOwners } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { type FaultPlan } from "@virt/testkit";
import { afterEach, expect, test } from "vitest";
import { hcoPath } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";
import { untilWaiting } from "./reported-hardware.ts";

const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";
const platform = sharePlatform({ isProxied: true, skipsTime: true });
afterEach(() => platform.proxy.disarm());

const pathOf = (name: string) => platform.targets.find(({ ref }) => ref.name === name)?.path ?? "";
const status = async (path: string) => (await platform.testCluster.server.request({ path })).status;
const untilGone = (path: string) => platform.until(async () => expect(await status(path)).toBe(404));
const annotateHco = (annotations: Readonly<Record<string, string | null>>) => platform.annotate(hcoPath, annotations);
const reports = async (reason: string) =>
  (await platform.outputs.events()).flatMap((event) => (event.reason === reason ? [event.note] : []));
const answersTo = (verb: string, resource: string) =>
  platform.proxy.trace().flatMap((call) => (call.verb === verb && call.resource === resource ? [call.status] : []));
const breaks = (plan: Pick<FaultPlan, "trigger" | "fault">) =>
  platform.proxy.arm({ name: "a request of the prune", ...plan });

test("removes only the disabled asset's fields from a shared object", async () => {
  const kubelet = pathOf("virt-perf-settings");
  const settings = () => platform.specOf(kubelet, "kubeletConfig");
  const devices = () => platform.specOf(hcoPath, "permittedHostDevices");
  expect(await settings()).toMatchObject({ cpuManagerPolicy: "static", maxPods: 500 });
  const { pciHostDevices } = (await devices()) as JsonMap;
  await annotateHco({ prune: "true", "feature-gates": null, "usb-devices": null });
  const rest = { nodeStatusMaxImages: 500, maxPods: 500, topologyManagerPolicy: "best-effort" };
  await platform.until(async () => expect(await settings()).toEqual(rest));
  await platform.until(async () => expect(await devices()).toEqual({ pciHostDevices }));
});

test("deletes a shared object once all its contributing assets are disabled", async () => {
  const kubelet = pathOf("virt-perf-settings");
  const labels = { "feature.node.kubernetes.io/memory-numa": null };
  await platform.edit("/api/v1/nodes/worker-0", { metadata: { labels } });
  await untilWaiting(platform, ["numaNodesPresent"]);
  await platform.time.skip(platform.operator, 600);
  await platform.until(async () => {
    const state = asText(at(await platform.read(kubelet), "metadata", "annotations", objectAnnotations.state));
    expect(state).not.toContain("numa-topology");
  });
  await annotateHco({ "enable-kubelet-performance-settings": "false" });
  await untilGone(kubelet);
  await platform.until(async () =>
    expect(await reports("AssetPruned")).toContain(
      "Deleted KubeletConfig virt-perf-settings because feature kubelet-settings is disabled",
    ),
  );
});

test("prunes an excluded object only after its exclusion ends", async () => {
  const [descheduler, argument] = [pathOf("cluster"), pathOf("99-openshift-machineconfig-worker-psi-karg")];
  await annotateHco({ "disabled-resources": "[{kind: KubeDescheduler, name: '*'}]" });
  await annotateHco({ "enable-loadaware": "false" });
  await untilGone(argument);
  expect(await status(descheduler)).toBe(200);
  await annotateHco({ "disabled-resources": "[{kind: KubeDescheduler" }); // a typo does not disable exclusions
  await annotateHco({ "enable-mtv": "false" });
  await untilGone(pathOf("forklift-controller"));
  expect(await status(descheduler)).toBe(200);
  await annotateHco({ "disabled-resources": null });
  await untilGone(descheduler);
});

test("prunes an object after its plan ends only on a new request", async () => {
  const { server } = platform.testCluster;
  const { swap } = objectPaths;
  const plan = {
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    kind: "VirtPlatformConfig",
    metadata: { name: "virt-higher-density" },
    spec: { profile: "virt-higher-density", action: "Apply" },
  };
  expect((await server.request({ method: "POST", path: configs, body: plan })).status).toBe(201);
  const path = `${configs}/virt-higher-density`;
  await platform.edit(`${path}/status`, { status: { executedGeneration: 1 } });
  await platform.until(async () => expect((await reports("GovernedByPlan")).join()).toContain("50-virt-swap-enable"));
  await annotateHco({ "enable-swap": "false", "enable-metallb": "false" });
  await untilGone(pathOf("metallb"));
  expect(await status(swap)).toBe(200);
  await platform.edit(path, { spec: { action: "Ignore" } });
  const { governance } = objectPaths;
  await platform.until(async () => expect(JSON.stringify(await platform.read(governance))).toContain("since"));
  expect(await status(swap)).toBe(200);
  await annotateHco({ prune: null });
  await annotateHco({ prune: "true" });
  await untilGone(swap);
});

test("prunes an unmanaged object once it is managed again", async () => {
  const argument = pathOf("50-virt-pci-passthrough");
  await platform.annotate(argument, { mode: "unmanaged" });
  const asked = () => platform.requests(argument);
  const from = asked().length;
  await annotateHco({ "enable-pci-passthrough": "false" });
  const verbs = () =>
    new Set(
      asked()
        .slice(from)
        .map(({ verb }) => verb),
    );
  await platform.until(async () => expect(verbs()).toEqual(new Set(["get"])));
  expect(await status(argument)).toBe(200);
  await platform.annotate(argument, { mode: null });
  await untilGone(argument);
});

const faults: readonly (Pick<FaultPlan, "trigger" | "fault"> & { readonly reason: string })[] = [
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
    reason: "the object was changed concurrently",
    trigger: { on: "request", number: 1, matching: { verb: "delete", resource: "uiplugins" } },
    fault: { kind: "answer", status: 409 },
  },
];

test.each(faults)("retries a prune after one failure: $reason", async ({ trigger, fault }) => {
  const plugin = pathOf("monitoring");
  await annotateHco({ "enable-observability": "true" });
  await platform.until(async () => expect(await status(plugin)).toBe(200));
  breaks({ trigger, fault });
  await annotateHco({ "enable-observability": "false" });
  await untilGone(plugin);
});

test("keeps an object that becomes unmanaged during its deletion", async () => {
  const plugin = pathOf("monitoring");
  await annotateHco({ "enable-observability": "true" });
  await platform.until(async () => expect(await status(plugin)).toBe(200));
  const trigger = { on: "request", number: 1, matching: { verb: "delete", resource: "uiplugins" } } as const;
  const isHeld = platform.proxy.arm({ name: "the deletion", trigger, fault: { kind: "hold-request" } });
  await annotateHco({ "enable-observability": "false" });
  await platform.until(async () => expect(isHeld()).toBe(true));
  const reads = answersTo("get", "uiplugins").length;
  await platform.annotate(plugin, { mode: "unmanaged" });
  platform.proxy.disarm();
  await platform.until(async () => expect(answersTo("delete", "uiplugins").at(-1)).toBe(409));
  // A new read shows that the object is unmanaged, so that there is no second deletion.
  await platform.until(async () => expect(answersTo("get", "uiplugins").slice(reads)).toContain(200));
  expect(await status(plugin)).toBe(200);
  await platform.annotate(plugin, { mode: null });
});

test("releases a pre-existing object with its values despite a failure", async () => {
  const check = pathOf("virt-node-health-check");
  const before = await platform.read(check);
  await platform.annotate(check, { state: null });
  const matching = { verb: "apply", resource: "nodehealthchecks" } as const;
  const isBroken = breaks({ trigger: { on: "request", number: 2, matching }, fault: { kind: "answer", status: 500 } });
  await annotateHco({ "enable-node-health-check": "false" });
  await platform.until(async () => {
    const { metadata, ...live } = await platform.read(check);
    expect(isNoFields(appliedBy(readOwners({ metadata, ...live }), fieldManagers.platform))).toBe(true);
    expect(metadata.labels ?? {}).toEqual({});
    expect(metadata.annotations ?? {}).toEqual({});
    expect(live["spec"]).toEqual(before["spec"]);
  });
  expect(isBroken()).toBe(true);
});
