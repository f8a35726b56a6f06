// Gives exclusive CPUs to VMs with dedicated CPUs.

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
  values: {
    autoSizingReserved: {
      reason: "The static policy requires reserved CPU. This field sizes the reservation for each node.",
      source: "OpenShift Machine Config Operator",
    },
    topologyManagerPolicy: {
      reason: "A pod's resources come from a single NUMA node if possible. Otherwise, the pod still starts.",
      source: "Kubernetes Topology Manager",
    },
    cpuManagerPolicy: {
      reason: "A VM with dedicated CPUs gets exclusive use of whole CPUs.",
      source: "KubeVirt: dedicated CPU placement",
    },
    cpuManagerReconcilePeriod: {
      reason: "The kubelet checks CPU assignments at this interval.",
      source: "operator default",
    },
    machineConfigPoolSelector: {
      reason: "Applies only to workers, because VMs run there.",
      source: "operator default",
    },
  },
  render: () =>
    renderKubelet({
      autoSizingReserved: true, // the static policy requires reserved CPUs; this reserves them by node size
      kubeletConfig,
    }),
});
