import { fieldManagers } from "@virt/api";
import { appliedBy, at, leavesOf, readOwners } from "@virt/objects";
import { type Crd, type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { createNetwork, type FullCluster, now, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import type { RunningProgram } from "../support/program.ts";
import { mockCrd } from "../support/test-cluster.ts";

const kubelet = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const pools = "machineconfigpools";
const prefix = "platform.kubevirt.io/";
let fullCluster: FullCluster;
let proxy: FaultProxy;
let operator: RunningProgram;
let start: () => Promise<RunningProgram>;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  const { server } = fullCluster.testCluster;
  proxy = await startFaultProxy({ server });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  start = () => fullCluster.testCluster.startOperator({ flags: ["--activation=always"], kubeconfig });
  operator = await start();
  await untilConverged(fullCluster);
});
afterAll(async () => {
  await fullCluster[Symbol.asyncDispose]();
  await proxy.stop();
});

const settings = async () => at(await fullCluster.read(kubelet), "spec", "kubeletConfig");
const owned = async () => {
  const paths = leavesOf(appliedBy(readOwners(await fullCluster.read(kubelet)), fieldManagers.platform));
  const inner = paths.filter(([, parent]) => parent === "f:kubeletConfig").map((path) => path[2] ?? "");
  return inner.map((element) => element.slice("f:".length)).toSorted();
};
const annotateHco = (annotations: Readonly<Record<string, string | null>>) =>
  fullCluster.edit(hcoPath, {
    metadata: {
      annotations: Object.fromEntries(Object.entries(annotations).map(([key, text]) => [`${prefix}${key}`, text])),
    },
  });

/** Returns the pools whose streams got this status. Worker and master pools have separate streams. */
function reports(status: number): ReadonlySet<string | undefined> {
  const answers = proxy.trace().filter((one) => one.resource === pools && one.clientStatus === status);
  return new Set(answers.map(({ query }) => query["fieldSelector"]));
}

/**
 * Removes and re-creates the CRD without read access, because listed objects stay cached while their kind is served.
 */
async function forbidPools(): Promise<void> {
  const { server } = fullCluster.testCluster;
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${pools}.machineconfiguration.openshift.io`;
  await server.removeCrd((await server.request({ path })).body as Crd);
  await expect.poll(() => reports(404).size).toBe(2);
  const trigger = { on: "every", matching: { verb: "watch", resource: pools } } as const;
  proxy.arm({ name: "pools are forbidden", trigger, fault: { kind: "answer", status: 403 } });
  await server.installCrds([mockCrd(pools)]);
  await expect.poll(() => reports(403).size).toBe(2);
}

test("keeps a part with an unread input while it releases another", async () => {
  const rendered = { nodeStatusMaxImages: 500, maxPods: 500, topologyManagerPolicy: "best-effort" };
  const cpus = { cpuManagerPolicy: "static", cpuManagerReconcilePeriod: "5s" };
  await fullCluster.until(async () => expect(await settings()).toEqual({ ...rendered, ...cpus }));
  await forbidPools();
  await createNetwork(fullCluster, 24); // too few addresses for 500 pods
  await annotateHco({ "feature-gates": null });
  await fullCluster.until(async () => expect(await owned()).toEqual(Object.keys(rendered).toSorted()));
  await fullCluster.edit(kubelet, { spec: { kubeletConfig: { maxPods: 42, cpuManagerPolicy: "none" } } });
  const kept = { ...rendered, ...cpus, cpuManagerPolicy: "none" };
  await fullCluster.until(async () => expect(await settings()).toEqual(kept));

  proxy.disarm();
  const { maxPods: _tooMany, ...fits } = kept;
  await fullCluster.untilLong(async () => expect(await settings()).toEqual(fits)); // retried after a backoff
});

const devices = async (bus: string) => at(await fullCluster.read(hcoPath), "spec", "permittedHostDevices", bus);
const stick = (product: string) => [{ resourceName: "kubevirt.io/key", selectors: [{ vendor: "1050", product }] }];

test("keeps a part with an invalid annotation while it changes another", async () => {
  const cards = await devices("pciHostDevices");
  expect(cards).toEqual([expect.objectContaining({ pciDeviceSelector: "10DE:1EB8" })]);
  await annotateHco({ "vfio-devices": "[{", "usb-devices": JSON.stringify(stick("0407")) });
  await fullCluster.until(async () => expect(await devices("usbHostDevices")).toEqual(stick("0407")));
  await fullCluster.edit(hcoPath, { spec: { permittedHostDevices: { pciHostDevices: [] } } });
  await fullCluster.until(async () => expect(await devices("pciHostDevices")).toEqual(cards));
});

test("blocks an object if the last render of a part is unknown", async () => {
  const cards = await devices("pciHostDevices");
  const mayPostCopy = async () => at(await fullCluster.read(hcoPath), "spec", "liveMigrationConfig", "allowPostCopy");
  const untilCorrected = async (minHealthy: string) => {
    await fullCluster.edit(check, { spec: { minHealthy } });
    await fullCluster.until(async () => expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("51%"));
  };
  await operator.kill();
  const from = now();
  await annotateHco({ "usb-devices": JSON.stringify(stick("0405")) });
  operator = await start();
  await untilCorrected("10%");
  await fullCluster.edit(hcoPath, { spec: { liveMigrationConfig: { allowPostCopy: true } } });
  await untilCorrected("20%");
  expect(await mayPostCopy()).toBe(true);
  expect([await devices("usbHostDevices"), await devices("pciHostDevices")]).toEqual([stick("0407"), cards]);
  expect(fullCluster.requests(hcoPath, from).map(({ requestURI }) => requestURI)).toEqual([]);

  await annotateHco({ "vfio-devices": null });
  await fullCluster.until(async () => expect(await devices("usbHostDevices")).toEqual(stick("0405")));
  await fullCluster.until(async () => expect(await mayPostCopy()).toBe(false));
});
