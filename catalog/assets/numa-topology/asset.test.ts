import { expect, test } from "vitest";
import { renderedAsset } from "../../testing/asset-facts.ts";
import asset from "./asset.ts";

test("aligns if possible and rejects no pod", () => {
  expect(renderedAsset(asset)).toBe(`apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata:
  name: virt-perf-settings
spec:
  kubeletConfig:
    topologyManagerPolicy: best-effort
  machineConfigPoolSelector:
    matchLabels:
      pools.operator.machineconfiguration.openshift.io/worker: ""
`);
});
