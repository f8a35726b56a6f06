import { asList, at } from "@virt/objects";
import { expect, test } from "vitest";
import { createNetwork, now } from "../support/full-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { report: reportPath, kubelet: kubeletPath } = objectPaths;
const platform = sharePlatform({ prepare: (cluster) => createNetwork(cluster, 23) });

const worker = "/api/v1/nodes/worker-0";
const subnets = (cidr: string) => ({
  metadata: { annotations: { "k8s.ovn.org/node-subnets": JSON.stringify({ default: [cidr] }) } },
});

const networkPath = "/apis/config.openshift.io/v1/networks/cluster";
const hostPrefix = (length: number) => ({
  status: { clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: length }] },
});

const maxPods = () => platform.specOf(kubeletPath, "kubeletConfig", "maxPods");
const heldEvents = async () => (await platform.outputs.events()).filter(({ reason }) => reason === "RebootHeld");

function writesSince(time: string) {
  const requests = platform.requests(kubeletPath, time);
  return requests.filter(({ verb, requestURI }) => verb === "patch" && !requestURI.includes("dryRun"));
}

const untilMost = (most: number | undefined) => platform.until(async () => expect(await maxPods()).toBe(most));

test("20 changes of one node's pod network cause no write", async () => {
  await untilMost(500);
  const before = now();
  for (let flip = 0; flip < 10; flip += 1) {
    await platform.edit(worker, subnets("10.132.0.0/22"));
    await platform.edit(worker, subnets("10.132.0.0/25"));
  }
  const changed = now();
  await platform.edit(networkPath, hostPrefix(24));
  await untilMost(undefined);
  expect(writesSince(changed)).toHaveLength(1); // for the cluster's own network
  expect(writesSince(before)).toHaveLength(1);
});

test("holds a second change of the cluster's network within 6 hours", async () => {
  await platform.edit(networkPath, hostPrefix(23));
  const note = expect.stringContaining("virt-perf-settings is on hold");
  await platform.until(async () => expect(await heldEvents()).toContainEqual(expect.objectContaining({ note })));
  expect(await maxPods()).toBeUndefined();
});

async function reportedRow() {
  const rows = asList((await platform.outputs.report())["objects"]);
  return rows.find((row) => at(row, "object") === "KubeletConfig virt-perf-settings");
}

test("keeps the limit across a crash and reports the pending change", async () => {
  await platform.operator.kill();
  await platform.testCluster.server.request({ method: "DELETE", path: reportPath });
  const before = now();
  await platform.start();
  const held = expect.stringContaining("InputChanged: a cluster input changed again");
  await platform.until(async () => expect(await reportedRow()).toMatchObject({ status: "Held", held }));
  expect(writesSince(before)).toEqual([]);
});

test("an administrator's patch also applies the pending change", async () => {
  const patch = JSON.stringify([{ op: "replace", path: "/spec/kubeletConfig/nodeStatusMaxImages", value: 400 }]);
  await platform.annotate(kubeletPath, { patch });
  await platform.until(async () => expect(await maxPods()).toBe(500));
});
