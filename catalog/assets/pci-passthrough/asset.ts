// Enables the IOMMU on workers if there are PCI devices for VMs.

import { hco, object } from "@virt/cluster";
import { annotationIs, anyOf, defineAsset, detected, hardware, pool, topology } from "@virt/platform";
import {
  assetMachineConfigTarget,
  configureKernel,
  type KernelArguments,
  nodeChange,
  renderKernelArguments,
  withMachineConfigs,
} from "../machine-config.ts";

const name = "50-virt-pci-passthrough";
const target = assetMachineConfigTarget(name);
// `intel_iommu=on` has no effect on AMD and Arm, so all workers can have it.
const wanted: KernelArguments = { name, role: "worker", kernelArguments: ["intel_iommu=on", "iommu=pt"] };

export default defineAsset({
  ...nodeChange,
  name: "pci-passthrough",
  feature: { name: "pci-passthrough", description: "IOMMU for PCI device passthrough to VMs", maturity: "DP" },
  tier: "always-on",
  phase: 1,
  order: 12,
  target,
  content: { object: configureKernel(wanted) },
  switch: { annotation: "enable-pci-passthrough", default: "on" },
  conditions: [
    ...withMachineConfigs,
    anyOf(detected("pciDevicesPresent"), detected("gpuPresent"), annotationIs("vfio-devices")),
  ],
  reads: { hco: hco(), hardware: hardware(), topology: topology(), own: object(target), pool: pool("worker") },
  values: {
    "metadata.labels": {
      reason: "Selects the pool that applies the MachineConfig.",
      source: "Machine Config Operator",
    },
    kernelArguments: {
      reason: "Enables the IOMMU, which isolates devices that are assigned to VMs. Has no effect on AMD and Arm.",
      source: "KubeVirt: host devices",
    },
  },
  render: (facts) => renderKernelArguments(wanted, facts),
});
