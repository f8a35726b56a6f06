// Turns the IOMMU on for workers, where there is a PCI device to hand to a VM.

import { annotated, anyOf, defineAsset, detected, hardware, hco, object, pool, topology } from "@virt/platform";
import { renderKernelArguments } from "../kernel-arguments.ts";
import { machineConfigTarget, nodeChange, withMachineConfigs } from "../machine-config.ts";

const name = "50-virt-pci-passthrough";
const target = machineConfigTarget(name);

export default defineAsset({
  ...nodeChange,
  name: "pci-passthrough",
  feature: "pci-passthrough",
  tier: "always-on",
  phase: 1,
  order: 12,
  target,
  switch: { annotation: "enable-pci-passthrough", default: "on" },
  conditions: [
    ...withMachineConfigs,
    anyOf(detected("pciDevicesPresent"), detected("gpuPresent"), annotated("vfio-devices")),
  ],
  reads: { hco: hco(), hardware: hardware(), topology: topology(), own: object(target), pool: pool("worker") },
  // Harmless on AMD and ARM, which have no Intel IOMMU to turn on.
  render: (facts) =>
    renderKernelArguments({ name, role: "worker", kernelArguments: ["intel_iommu=on", "iommu=pt"] }, facts),
});
