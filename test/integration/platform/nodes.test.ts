// What is known of the machines follows their nodes: those that come, change and go, and nothing else about them.

import type { JsonMap } from "@virt/api";
import { at } from "@virt/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, startFullCluster, untilConverged } from "./full-cluster.ts";

let fullCluster: FullCluster;
beforeAll(async () => {
  fullCluster = await startFullCluster(); // with one worker, whose pod network has room for 500
  await fullCluster.start();
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const nodes = "/api/v1/nodes";
const small = `${nodes}/small`;
const subnets = (cidr: string | null) => ({
  metadata: { annotations: { "k8s.ovn.org/node-subnets": cidr && JSON.stringify({ default: [cidr] }) } },
});

async function maxPods() {
  const path = fullCluster.targets.find(({ ref }) => ref.kind === "KubeletConfig")?.path ?? "";
  return at(await fullCluster.read(path), "spec", "kubeletConfig", "maxPods");
}

async function send(method: "POST" | "DELETE", path: string, body?: JsonMap): Promise<void> {
  expect((await fullCluster.testCluster.server.request({ method, path, ...(body && { body }) })).status).toBeLessThan(
    300,
  );
}

test("a node that comes, changes and goes is seen each time", async () => {
  const untilMost = (most: number | undefined) => fullCluster.until(async () => expect(await maxPods()).toBe(most));
  await untilMost(500);
  const metadata = { name: "small", labels: { "node-role.kubernetes.io/worker": "" } };
  await send("POST", nodes, { apiVersion: "v1", kind: "Node", metadata, spec: { podCIDR: "10.132.0.0/25" } });
  await untilMost(undefined);
  await fullCluster.edit(small, subnets("10.132.0.0/22"));
  await untilMost(500);
  await fullCluster.edit(small, subnets("10.132.0.0/24"));
  await untilMost(undefined);
  await send("DELETE", small);
  await untilMost(500);
});
