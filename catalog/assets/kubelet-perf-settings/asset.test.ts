import { expect, test } from "vitest";
import { plainHardware, renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

const golden = (kubelet: string) => `apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata:
  name: virt-perf-settings
spec:
  autoSizingReserved: true
  kubeletConfig:
${kubelet}    nodeStatusMaxImages: 500
  machineConfigPoolSelector:
    matchLabels:
      pools.operator.machineconfiguration.openshift.io/worker: ""
`;

test.each([
  { reason: "a network of 510 addresses allows 500 pods", podSubnetPrefix: 23, kubelet: "    maxPods: 500\n" },
  { reason: "a larger network allows 500 pods", podSubnetPrefix: 20, kubelet: "    maxPods: 500\n" },
  { reason: "a smaller network keeps the default", podSubnetPrefix: 24, kubelet: "" },
  { reason: "an unknown network keeps the default", podSubnetPrefix: undefined, kubelet: "" },
])("$reason", ({ podSubnetPrefix, kubelet }) => {
  expect(renderedAsset(asset, { hardware: { ...plainHardware, podSubnetPrefix } })).toBe(golden(kubelet));
});
