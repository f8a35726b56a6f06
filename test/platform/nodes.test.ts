import type { JsonMap } from "@virt/api";
import { asList, asText, at } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createNetwork, type FullCluster, now, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import type { RunningProgram } from "../support/program.ts";

let fullCluster: FullCluster;
let operator: RunningProgram;
beforeAll(async () => {
  fullCluster = await startFullCluster();
  await createNetwork(fullCluster, 23);
  operator = await fullCluster.start();
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const worker = "/api/v1/nodes/worker-0";
const subnets = (cidr: string) => ({
  metadata: { annotations: { "k8s.ovn.org/node-subnets": JSON.stringify({ default: [cidr] }) } },
});

const networkPath = "/apis/config.openshift.io/v1/networks/cluster";
const hostPrefix = (length: number) => ({
  status: { clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: length }] },
});

const reportPath = "/api/v1/namespaces/virt-platform-operator-system/configmaps/virt-platform-operator-report";
const kubeletPath = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";

async function maxPods() {
  return at(await fullCluster.read(kubeletPath), "spec", "kubeletConfig", "maxPods");
}

async function heldEvents() {
  const { body } = await fullCluster.testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
  return asList(at(body as JsonMap, "items")).filter((event) => at(event, "reason") === "RebootHeld");
}

function writesSince(time: string) {
  const requests = fullCluster.requests(kubeletPath, time);
  return requests.filter(({ verb, requestURI }) => verb === "patch" && !requestURI.includes("dryRun"));
}

const untilMost = (most: number | undefined) => fullCluster.until(async () => expect(await maxPods()).toBe(most));

test("20 changes of one node's pod network cause no write", async () => {
  await untilMost(500);
  const before = now();
  for (let flip = 0; flip < 10; flip += 1) {
    await fullCluster.edit(worker, subnets("10.132.0.0/22"));
    await fullCluster.edit(worker, subnets("10.132.0.0/25"));
  }
  const changed = now();
  await fullCluster.edit(networkPath, hostPrefix(24));
  await untilMost(undefined);
  expect(writesSince(changed)).toHaveLength(1); // for the cluster's own network
  expect(writesSince(before)).toHaveLength(1);
});

test("puts a second change of the cluster's network within 6 hours on hold", async () => {
  await fullCluster.edit(networkPath, hostPrefix(23));
  const note = expect.stringContaining("virt-perf-settings is on hold");
  await fullCluster.until(async () => expect(await heldEvents()).toContainEqual(expect.objectContaining({ note })));
  expect(await maxPods()).toBeUndefined();
});

async function reportedRow() {
  const report = asText(at(await fullCluster.read(reportPath), "data", "report.json")) ?? "{}";
  const rows = asList(at(JSON.parse(report) as JsonMap, "objects"));
  return rows.find((row) => at(row, "object") === "KubeletConfig virt-perf-settings");
}

test("keeps the limit across a crash and reports the pending change", async () => {
  await operator.kill();
  await fullCluster.testCluster.server.request({ method: "DELETE", path: reportPath });
  const before = now();
  operator = await fullCluster.start();
  const held = expect.stringContaining("InputChanged: a cluster input changed again");
  await fullCluster.until(async () => expect(await reportedRow()).toMatchObject({ status: "Held", held }));
  expect(writesSince(before)).toEqual([]);
});

test("an administrator's patch also applies the pending change", async () => {
  const patch = JSON.stringify([{ op: "replace", path: "/spec/kubeletConfig/nodeStatusMaxImages", value: 400 }]);
  await fullCluster.edit(kubeletPath, { metadata: { annotations: { "platform.kubevirt.io/patch": patch } } });
  await fullCluster.until(async () => expect(await maxPods()).toBe(500));
});
