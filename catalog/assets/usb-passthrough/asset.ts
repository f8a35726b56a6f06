// Lets VMs request the listed USB devices. Does not change nodes.

import { hco } from "@virt/cluster";
import { defineAsset } from "@virt/platform";
import { deviceForms, hcoPart, renderHco, usbDevices } from "../hyperconverged.ts";

export default defineAsset({
  ...hcoPart,
  name: "usb-passthrough",
  feature: { name: "usb-passthrough", description: "Named USB devices for VMs", maturity: "DP" },
  tier: "advanced",
  phase: 3,
  switch: { present: "usb-devices" },
  forms: deviceForms("usbHostDevices"),
  reads: { hco: hco() },
  values: {
    usbHostDevices: {
      reason: "VMs can request only these devices.",
      source: "annotation usb-devices",
    },
  },
  render: (facts) => {
    const permittedHostDevices = { usbHostDevices: usbDevices(facts.hco) };
    return renderHco(facts.hco, {
      v1beta1: { permittedHostDevices },
      v1: { virtualization: { permittedHostDevices } },
    });
  },
});
