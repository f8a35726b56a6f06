import { fieldManagers, type JsonMap } from "@virt/api";
import { appliedBy, asList, asText, at, isNoFields, readOwners } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { type FaultPlan, type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import type { RunningProgram } from "../support/program.ts";
import { prepareSkippedTime, type SkippedTime } from "../support/skipped-time.ts";
import { untilWaiting } from "./reported-hardware.ts";

const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";
let fullCluster: FullCluster;
let proxy: FaultProxy;
let operator: RunningProgram;
let time: SkippedTime;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  const { server } = fullCluster.testCluster;
  proxy = await startFaultProxy({ server });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  time = await prepareSkippedTime(server.folder);
  const flags = ["--activation=always"];
  operator = await fullCluster.testCluster.startOperator({ flags, kubeconfig, nodeFlags: time.nodeFlags });
  await untilConverged(fullCluster);
});
afterEach(() => proxy.disarm());
afterAll(async () => {
  await fullCluster[Symbol.asyncDispose]();
  await proxy.stop();
});

const pathOf = (name: string) => fullCluster.targets.find(({ ref }) => ref.name === name)?.path ?? "";
const status = async (path: string) => (await fullCluster.testCluster.server.request({ path })).status;
const untilGone = (path: string) => fullCluster.until(async () => expect(await status(path)).toBe(404));
const annotateHco = (annotations: Readonly<Record<string, string | null>>) => {
  const entries = Object.entries(annotations).map(([key, text]) => [`platform.kubevirt.io/${key}`, text] as const);
  return fullCluster.edit(hcoPath, { metadata: { annotations: Object.fromEntries(entries) } });
};
const reports = async (reason: string): Promise<readonly string[]> => {
  const { body } = await fullCluster.testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
  const events = asList(at(body as JsonMap, "items")).filter((event) => at(event, "reason") === reason);
  return events.flatMap((event) => asText(at(event, "note")) ?? []);
};
const answersTo = (verb: string, resource: string) =>
  proxy.trace().flatMap((call) => (call.verb === verb && call.resource === resource ? [call.status] : []));
const breaks = (plan: Pick<FaultPlan, "trigger" | "fault">) => proxy.arm({ name: "a request of the prune", ...plan });

test("removes only the disabled asset's fields from a shared object", async () => {
  const kubelet = pathOf("virt-perf-settings");
  const settings = async () => at(await fullCluster.read(kubelet), "spec", "kubeletConfig");
  const devices = async () => at(await fullCluster.read(hcoPath), "spec", "permittedHostDevices");
  expect(await settings()).toMatchObject({ cpuManagerPolicy: "static", maxPods: 500 });
  const { pciHostDevices } = (await devices()) as JsonMap;
  await annotateHco({ prune: "true", "feature-gates": null, "usb-devices": null });
  const rest = { nodeStatusMaxImages: 500, maxPods: 500, topologyManagerPolicy: "best-effort" };
  await fullCluster.until(async () => expect(await settings()).toEqual(rest));
  await fullCluster.until(async () => expect(await devices()).toEqual({ pciHostDevices }));
});

test("deletes a shared object once all its contributing assets are disabled", async () => {
  const kubelet = pathOf("virt-perf-settings");
  const labels = { "feature.node.kubernetes.io/memory-numa": null };
  await fullCluster.edit("/api/v1/nodes/worker-0", { metadata: { labels } });
  await untilWaiting(fullCluster, ["numaNodesPresent"]);
  await time.skip(operator, 600);
  await fullCluster.until(async () => {
    const state = asText(at(await fullCluster.read(kubelet), "metadata", "annotations", objectAnnotations.state));
    expect(state).not.toContain("numa-topology");
  });
  await annotateHco({ "enable-kubelet-performance-settings": "false" });
  await untilGone(kubelet);
  await fullCluster.until(async () =>
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
  const { server } = fullCluster.testCluster;
  const swap = pathOf("50-virt-swap-enable");
  const plan = {
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    kind: "VirtPlatformConfig",
    metadata: { name: "virt-higher-density" },
    spec: { profile: "virt-higher-density", action: "Apply" },
  };
  expect((await server.request({ method: "POST", path: configs, body: plan })).status).toBe(201);
  const path = `${configs}/virt-higher-density`;
  await fullCluster.edit(`${path}/status`, { status: { executedGeneration: 1 } });
  await fullCluster.until(async () =>
    expect((await reports("GovernedByPlan")).join()).toContain("50-virt-swap-enable"),
  );
  await annotateHco({ "enable-swap": "false", "enable-metallb": "false" });
  await untilGone(pathOf("metallb"));
  expect(await status(swap)).toBe(200);
  await fullCluster.edit(path, { spec: { action: "Ignore" } });
  const record = "/api/v1/namespaces/virt-platform-operator-system/configmaps/virt-platform-operator-governance";
  await fullCluster.until(async () => expect(JSON.stringify(await fullCluster.read(record))).toContain("since"));
  expect(await status(swap)).toBe(200);
  await annotateHco({ prune: null });
  await annotateHco({ prune: "true" });
  await untilGone(swap);
});

test("prunes an unmanaged object once it is managed again", async () => {
  const argument = pathOf("50-virt-pci-passthrough");
  await fullCluster.edit(argument, { metadata: { annotations: { [objectAnnotations.mode]: "unmanaged" } } });
  const asked = () => fullCluster.requests(argument);
  const from = asked().length;
  await annotateHco({ "enable-pci-passthrough": "false" });
  const verbs = () =>
    new Set(
      asked()
        .slice(from)
        .map(({ verb }) => verb),
    );
  await fullCluster.until(async () => expect(verbs()).toEqual(new Set(["get"])));
  expect(await status(argument)).toBe(200);
  await fullCluster.edit(argument, { metadata: { annotations: { [objectAnnotations.mode]: null } } });
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
    reason: "another client was faster",
    trigger: { on: "request", number: 1, matching: { verb: "delete", resource: "uiplugins" } },
    fault: { kind: "answer", status: 409 },
  },
];

test.each(faults)("retries a prune after one failure: $reason", async ({ trigger, fault }) => {
  const plugin = pathOf("monitoring");
  await annotateHco({ "enable-observability": "true" });
  await fullCluster.until(async () => expect(await status(plugin)).toBe(200));
  breaks({ trigger, fault });
  await annotateHco({ "enable-observability": "false" });
  await untilGone(plugin);
});

test("keeps an object that becomes unmanaged during its deletion", async () => {
  const plugin = pathOf("monitoring");
  await annotateHco({ "enable-observability": "true" });
  await fullCluster.until(async () => expect(await status(plugin)).toBe(200));
  const trigger = { on: "request", number: 1, matching: { verb: "delete", resource: "uiplugins" } } as const;
  const isHeld = proxy.arm({ name: "the deletion", trigger, fault: { kind: "hold-request" } });
  await annotateHco({ "enable-observability": "false" });
  await fullCluster.until(async () => expect(isHeld()).toBe(true));
  const reads = answersTo("get", "uiplugins").length;
  await fullCluster.edit(plugin, { metadata: { annotations: { [objectAnnotations.mode]: "unmanaged" } } });
  proxy.disarm();
  await fullCluster.until(async () => expect(answersTo("delete", "uiplugins").at(-1)).toBe(409));
  // A new read shows that the object is unmanaged, so that there is no second deletion.
  await fullCluster.until(async () => expect(answersTo("get", "uiplugins").slice(reads)).toContain(200));
  expect(await status(plugin)).toBe(200);
  await fullCluster.edit(plugin, { metadata: { annotations: { [objectAnnotations.mode]: null } } });
});

test("releases a pre-existing object with its values despite a failure", async () => {
  const check = pathOf("virt-node-health-check");
  const before = await fullCluster.read(check);
  await fullCluster.edit(check, { metadata: { annotations: { [objectAnnotations.state]: null } } });
  const matching = { verb: "apply", resource: "nodehealthchecks" } as const;
  const isBroken = breaks({ trigger: { on: "request", number: 2, matching }, fault: { kind: "answer", status: 500 } });
  await annotateHco({ "enable-node-health-check": "false" });
  await fullCluster.until(async () => {
    const { metadata, ...live } = await fullCluster.read(check);
    expect(isNoFields(appliedBy(readOwners({ metadata, ...live }), fieldManagers.platform))).toBe(true);
    expect(metadata.labels ?? {}).toEqual({});
    expect(metadata.annotations ?? {}).toEqual({});
    expect(live["spec"]).toEqual(before["spec"]);
  });
  expect(isBroken()).toBe(true);
});
