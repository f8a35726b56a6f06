import { fieldManagers } from "@virt/api";
import { appliedBy, leavesOf, readOwners } from "@virt/objects";
import { type Crd } from "@virt/testkit";
import { expect, test } from "vitest";
import { createNetwork, now } from "../support/full-cluster.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";
import { mockCrd } from "../support/test-cluster.ts";

const { kubelet, check } = objectPaths;
const pools = "machineconfigpools";
const platform = sharePlatform({ isProxied: true });

const settings = () => platform.specOf(kubelet, "kubeletConfig");
const owned = async () => {
  const paths = leavesOf(appliedBy(readOwners(await platform.read(kubelet)), fieldManagers.platform));
  const inner = paths.filter(([, parent]) => parent === "f:kubeletConfig").map((path) => path[2] ?? "");
  return inner.map((element) => element.slice("f:".length)).toSorted();
};
const annotateHco = (annotations: Readonly<Record<string, string | null>>) => platform.annotate(hcoPath, annotations);

/** Returns the pools whose streams got this status. Worker and master pools have separate streams. */
function reports(status: number): ReadonlySet<string | undefined> {
  const answers = platform.proxy.trace().filter((one) => one.resource === pools && one.clientStatus === status);
  return new Set(answers.map(({ query }) => query["fieldSelector"]));
}

/**
 * Removes and re-creates the CRD without read access, because listed objects stay cached while their kind is served.
 */
async function forbidPools(): Promise<void> {
  const { server } = platform.testCluster;
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${pools}.machineconfiguration.openshift.io`;
  await server.removeCrd((await server.request({ path })).body as Crd);
  await expect.poll(() => reports(404).size).toBe(2);
  const trigger = { on: "every", matching: { verb: "watch", resource: pools } } as const;
  platform.proxy.arm({ name: "pools are forbidden", trigger, fault: { kind: "answer", status: 403 } });
  await server.installCrds([mockCrd(pools)]);
  await expect.poll(() => reports(403).size).toBe(2);
}

test("keeps a part with an unread input while it releases another", async () => {
  const rendered = { nodeStatusMaxImages: 500, maxPods: 500, topologyManagerPolicy: "best-effort" };
  const cpus = { cpuManagerPolicy: "static", cpuManagerReconcilePeriod: "5s" };
  await platform.until(async () => expect(await settings()).toEqual({ ...rendered, ...cpus }));
  await forbidPools();
  await createNetwork(platform, 24); // too few addresses for 500 pods
  await annotateHco({ "feature-gates": null });
  await platform.until(async () => expect(await owned()).toEqual(Object.keys(rendered).toSorted()));
  await platform.edit(kubelet, { spec: { kubeletConfig: { maxPods: 42, cpuManagerPolicy: "none" } } });
  const kept = { ...rendered, ...cpus, cpuManagerPolicy: "none" };
  await platform.until(async () => expect(await settings()).toEqual(kept));

  platform.proxy.disarm();
  const { maxPods: _tooMany, ...fits } = kept;
  await platform.untilLong(async () => expect(await settings()).toEqual(fits)); // retried after a backoff
});

const devices = (bus: string) => platform.specOf(hcoPath, "permittedHostDevices", bus);
const stick = (product: string) => [{ resourceName: "kubevirt.io/key", selectors: [{ vendor: "1050", product }] }];

test("keeps a part with an invalid annotation while it changes another", async () => {
  const cards = await devices("pciHostDevices");
  expect(cards).toEqual([expect.objectContaining({ pciDeviceSelector: "10DE:1EB8" })]);
  await annotateHco({ "vfio-devices": "[{", "usb-devices": JSON.stringify(stick("0407")) });
  await platform.until(async () => expect(await devices("usbHostDevices")).toEqual(stick("0407")));
  await platform.edit(hcoPath, { spec: { permittedHostDevices: { pciHostDevices: [] } } });
  await platform.until(async () => expect(await devices("pciHostDevices")).toEqual(cards));
});

test("blocks an object if the last render of a part is unknown", async () => {
  const cards = await devices("pciHostDevices");
  const mayPostCopy = () => platform.specOf(hcoPath, "liveMigrationConfig", "allowPostCopy");
  await platform.operator.kill();
  const from = now();
  await annotateHco({ "usb-devices": JSON.stringify(stick("0405")) });
  await platform.start();
  await platform.untilCorrected(check);
  await platform.edit(hcoPath, { spec: { liveMigrationConfig: { allowPostCopy: true } } });
  await platform.untilCorrected(check);
  expect(await mayPostCopy()).toBe(true);
  expect([await devices("usbHostDevices"), await devices("pciHostDevices")]).toEqual([stick("0407"), cards]);
  expect(platform.requests(hcoPath, from).map(({ requestURI }) => requestURI)).toEqual([]);

  await annotateHco({ "vfio-devices": null });
  await platform.until(async () => expect(await devices("usbHostDevices")).toEqual(stick("0405")));
  await platform.until(async () => expect(await mayPostCopy()).toBe(false));
});
