// Alignment to NUMA nodes that fits every machine.

import { expect, test } from "vitest";
import { rendered } from "../world.ts";
import asset from "./asset.ts";

test("it aligns where possible and rejects nothing", () => {
  expect(rendered(asset)).toBe(`apiVersion: machineconfiguration.openshift.io/v1
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
