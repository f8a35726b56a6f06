// Configures kubelets to align a pod's resources to one NUMA node if possible.

import { defineAsset, detected, hardware } from "@virt/platform";
import { kubeletForms, kubeletPart, kubeletReads, renderKubelet, withMachineConfigs } from "../machine-config.ts";

// Best-effort never rejects a pod and requires no CPU list, so it works on every machine.
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
      reason: "Never rejects a pod and requires no CPU list, so it works on every machine.",
      source: "Kubernetes Topology Manager",
    },
    machineConfigPoolSelector: {
      reason: "Applies only to workers, because VMs run there.",
      source: "operator default",
    },
  },
  render: () => renderKubelet({ kubeletConfig }),
});
