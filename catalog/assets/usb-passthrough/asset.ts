// Lets VMs ask for the USB devices that somebody named. It changes no node.

import { defineAsset, hco } from "@virt/platform";
import { hcoPart, renderHco } from "../hyperconverged.ts";
import { usbDevices } from "../named-devices.ts";

export default defineAsset({
  ...hcoPart,
  name: "usb-passthrough",
  feature: "usb-passthrough",
  tier: "advanced",
  phase: 3,
  switch: { present: "usb-devices" },
  reads: { hco: hco() },
  render: (facts) => {
    const permittedHostDevices = { usbHostDevices: usbDevices(facts.hco) };
    return renderHco(facts.hco, {
      v1beta1: { permittedHostDevices },
      v1: { virtualization: { permittedHostDevices } },
    });
  },
});
