// Binds the listed PCI devices on workers to vfio-pci, so that VMs can use them. Asset pci-passthrough enables the
// IOMMU.

import { hco } from "@virt/cluster";
import { defineAsset, topology } from "@virt/platform";
import { vfioAssignment, vfioDevices } from "../hyperconverged.ts";
import {
  assetMachineConfigTarget,
  ignition,
  ignitionFile,
  machineConfigAsset,
  nodeChange,
  withMachineConfigs,
} from "../machine-config.ts";

const name = "50-virt-vfio-assign";

const options = { path: "/etc/modprobe.d/virt-vfio.conf", begin: "options vfio-pci ids=", end: "\n" };

function assignDevices(ids: readonly string[]) {
  const files = [
    ignitionFile(options.path, `${options.begin}${ids.toSorted().join(",")}${options.end}`),
    ignitionFile("/etc/modules-load.d/virt-vfio.conf", "vfio-pci\n"),
  ];
  return machineConfigAsset(name, "worker", { config: { ignition, storage: { files } } });
}

export default defineAsset({
  ...nodeChange,
  name: "vfio-assign",
  feature: vfioAssignment,
  tier: "advanced",
  phase: 2,
  order: 14,
  target: assetMachineConfigTarget(name),
  content: {
    object: assignDevices([]),
    variableFiles: { [options.path]: { begin: options.begin, alphabet: "0123456789abcdef:,", end: options.end } },
  },
  switch: { present: "vfio-devices" },
  conditions: withMachineConfigs,
  reads: { hco: hco(), topology: topology() },
  values: {
    "metadata.labels": {
      reason: "Selects the pool that applies the MachineConfig.",
      source: "Machine Config Operator",
    },
    ignition: {
      reason: "An Ignition version that all supported OpenShift releases accept.",
      source: "Machine Config Operator",
    },
    "storage.files": {
      reason: "The kernel binds the listed devices to vfio-pci, so that VMs can use them.",
      source: "annotation vfio-devices",
    },
  },
  // Sorted, so that reordering the list does not reboot a pool.
  render: (facts) => assignDevices(vfioDevices(facts.hco).map(({ selector }) => selector.toLowerCase())),
});
