// Lets VMs request the listed PCI devices.

import { hco } from "@virt/cluster";
import { defineAsset } from "@virt/platform";
import { deviceForms, hcoPart, renderHco, vfioAssignment, vfioDevices } from "../hyperconverged.ts";

export default defineAsset({
  ...hcoPart,
  name: "vfio-permitted-devices",
  group: "vfio-assign",
  feature: vfioAssignment,
  tier: "advanced",
  phase: 2,
  switch: { present: "vfio-devices" },
  forms: deviceForms("pciHostDevices"),
  reads: { hco: hco() },
  values: {
    pciHostDevices: {
      reason: "VMs can request only these devices.",
      source: "annotation vfio-devices",
    },
  },
  render: (facts) => {
    const pciHostDevices = vfioDevices(facts.hco).map(({ selector, ...offered }) => ({
      pciDeviceSelector: selector,
      ...offered,
    }));
    const permittedHostDevices = { pciHostDevices };
    return renderHco(facts.hco, {
      v1beta1: { permittedHostDevices },
      v1: { virtualization: { permittedHostDevices } },
    });
  },
});
