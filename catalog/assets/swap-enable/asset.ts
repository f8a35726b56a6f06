// Lets VMs on workers use swap partitions that somebody prepared.

import { defineAsset, topology } from "@virt/platform";
import {
  ignition,
  ignitionFile,
  machineConfig,
  machineConfigTarget,
  nodeChange,
  withMachineConfigs,
} from "../machine-config.ts";
import { kubeletDropIn, noSwapForSystem, swapUnit } from "./texts.ts";

const name = "50-virt-swap-enable";

export default defineAsset({
  ...nodeChange,
  name: "swap-enable",
  feature: "swap",
  tier: "always-on",
  phase: 1,
  order: 11,
  target: machineConfigTarget(name),
  switch: { annotation: "enable-swap", default: "on" },
  conditions: withMachineConfigs,
  reads: { topology: topology() },
  purpose: "kubelet-swap",
  alternates: [
    { apiVersion: "apps/v1", kind: "DaemonSet", name: "wasp-agent", namespace: "$hco" },
    machineConfigTarget("90-worker-swap-online"),
    machineConfigTarget("90-worker-kubelet-swap"),
  ],
  render: () =>
    machineConfig(name, "worker", {
      config: {
        ignition,
        storage: { files: [ignitionFile("/etc/openshift/kubelet.conf.d/90-swap.conf", kubeletDropIn)] },
        systemd: {
          units: [
            { name: "virt-swap-enable.service", enabled: true, contents: swapUnit },
            { name: "system.slice", dropins: [{ name: "50-virt-no-swap.conf", contents: noSwapForSystem }] },
          ],
        },
      },
    }),
});
