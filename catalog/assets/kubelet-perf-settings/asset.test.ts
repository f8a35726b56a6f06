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
  { reason: "a network of 510 addresses has room for 500 pods", podSubnetPrefix: 23, kubelet: "    maxPods: 500\n" },
  { reason: "so has a larger one", podSubnetPrefix: 20, kubelet: "    maxPods: 500\n" },
  { reason: "a smaller one has not", podSubnetPrefix: 24, kubelet: "" },
  { reason: "one that is not known has not", podSubnetPrefix: undefined, kubelet: "" },
])("$reason", ({ podSubnetPrefix, kubelet }) => {
  expect(renderedAsset(asset, { hardware: { ...plainHardware, podSubnetPrefix } })).toBe(golden(kubelet));
});
