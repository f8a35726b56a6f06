import type { KubeObject } from "@virt/api";
import { at } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { createNetwork, type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";

const kubelet = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
let fullCluster: FullCluster;
let proxy: FaultProxy;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  const { server } = fullCluster.testCluster;
  proxy = await startFaultProxy({ server });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  await fullCluster.testCluster.startOperator({ flags: ["--activation=always"], kubeconfig });
  await untilConverged(fullCluster);
});
afterAll(async () => {
  await fullCluster[Symbol.asyncDispose]();
  await proxy.stop();
});

/** Freezes the operator's view of a kind, starting with the operator's next apply. */
async function hideFromOperator(resource: string): Promise<void> {
  const fault = { kind: "treat-frames", of: { resource }, treatment: { do: "hold" } } as const;
  const matching = { verb: "apply", resource: "nodehealthchecks" } as const;
  const hasBegun = proxy.arm({ name: `hide ${resource}`, trigger: { on: "request", number: 1, matching }, fault });
  await fullCluster.edit(check, { spec: { minHealthy: "10%" } });
  await fullCluster.until(async () => expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("51%"));
  expect(hasBegun()).toBe(true);
}

const setting = (object: KubeObject, name: string) => at(object, "spec", "kubeletConfig", name);

test("keeps a released field's new value even if the operator's view is stale", async () => {
  await fullCluster.until(async () => expect(setting(await fullCluster.read(kubelet), "maxPods")).toBe(500));
  const before = fullCluster.requests(kubelet).length;
  await hideFromOperator("kubeletconfigs");
  const annotations = { [objectAnnotations.ignoreFields]: "/spec/kubeletConfig/nodeStatusMaxImages" };
  await fullCluster.edit(kubelet, { metadata: { annotations }, spec: { kubeletConfig: { nodeStatusMaxImages: 42 } } });
  await createNetwork(fullCluster, 24); // too few addresses for 500 pods
  await expect.poll(() => fullCluster.requests(kubelet).length).toBeGreaterThan(before);
  proxy.disarm();
  await fullCluster.until(async () => expect(setting(await fullCluster.read(kubelet), "maxPods")).toBeUndefined());
  expect(setting(await fullCluster.read(kubelet), "nodeStatusMaxImages")).toBe(42);
});
