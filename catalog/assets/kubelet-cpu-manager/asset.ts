// Gives VMs with dedicated CPUs whole CPUs of their own.

import { defineAsset } from "@virt/platform";
import { kubeletForms, kubeletPart, kubeletReads, renderKubelet, withMachineConfigs } from "../machine-config.ts";

const kubeletConfig = {
  topologyManagerPolicy: "best-effort",
  cpuManagerPolicy: "static",
  cpuManagerReconcilePeriod: "5s",
};

export default defineAsset({
  ...kubeletPart,
  name: "kubelet-cpu-manager",
  feature: { name: "cpu-manager", description: "Whole CPUs for VMs with dedicated CPUs", maturity: "DP" },
  tier: "context-aware",
  phase: 1,
  switch: { gate: "CPUManager" },
  conditions: withMachineConfigs,
  forms: kubeletForms(kubeletConfig, true),
  reads: kubeletReads,
  render: () =>
    renderKubelet({
      autoSizingReserved: true, // the static policy needs some CPU reserved; this sizes it for each node
      kubeletConfig,
    }),
});
