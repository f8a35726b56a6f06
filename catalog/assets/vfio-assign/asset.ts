// Has the workers' kernels leave the PCI devices that somebody named to VMs. The IOMMU is turned on by pci-passthrough.

import { defineAsset, hco, topology } from "@virt/platform";
import {
  ignition,
  ignitionFile,
  machineConfig,
  machineConfigTarget,
  nodeChange,
  withMachineConfigs,
} from "../machine-config.ts";
import { vfioDevices } from "../named-devices.ts";

const name = "50-virt-vfio-assign";

export default defineAsset({
  ...nodeChange,
  name: "vfio-assign",
  feature: "vfio-assign",
  tier: "advanced",
  phase: 2,
  order: 14,
  target: machineConfigTarget(name),
  switch: { present: "vfio-devices" },
  conditions: withMachineConfigs,
  reads: { hco: hco(), topology: topology() },
  render: (facts) => {
    // Sorted: the order in which people list devices must not reboot a pool.
    const ids = vfioDevices(facts.hco)
      .map(({ selector }) => selector.toLowerCase())
      .toSorted();
    const files = [
      ignitionFile("/etc/modprobe.d/virt-vfio.conf", `options vfio-pci ids=${ids.join(",")}\n`),
      ignitionFile("/etc/modules-load.d/virt-vfio.conf", "vfio-pci\n"),
    ];
    return machineConfig(name, "worker", { config: { ignition, storage: { files } } });
  },
});
