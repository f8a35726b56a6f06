// Has kubelets align the resources of a pod to one NUMA node where that is possible.

import { defineAsset, detected, hardware } from "@virt/platform";
import { kubeletForms, kubeletPart, kubeletReads, renderKubelet, withMachineConfigs } from "../machine-config.ts";

// It never rejects a pod and needs no list of CPUs, so it fits every machine; stricter ones are a choice of each cluster.
const kubeletConfig = { topologyManagerPolicy: "best-effort" };

export default defineAsset({
  ...kubeletPart,
  name: "numa-topology",
  feature: { name: "numa-topology", description: "Pods aligned to NUMA nodes where possible", maturity: "TP" },
  tier: "always-on",
  phase: 1,
  switch: { annotation: "enable-numa", default: "on" },
  conditions: [...withMachineConfigs, detected("numaNodesPresent")],
  forms: kubeletForms(kubeletConfig),
  reads: { ...kubeletReads, hardware: hardware() },
  values: {
    topologyManagerPolicy: {
      reason: "Never rejects a pod and needs no list of CPUs, so it suits every machine.",
      source: "Kubernetes Topology Manager",
    },
    machineConfigPoolSelector: {
      reason: "Workers only: VMs run there.",
      source: "default of this operator",
    },
  },
  render: () => renderKubelet({ kubeletConfig }),
});
