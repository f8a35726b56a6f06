// The devices that people named by annotations on the HyperConverged.

import { annotationOf, type Devices, type HcoFact, readUsbDevices, readVfioDevices } from "@virt/platform";

export const vfioDevices = (hco: HcoFact) => devicesOf(hco, "vfio-devices", readVfioDevices);
export const usbDevices = (hco: HcoFact) => devicesOf(hco, "usb-devices", readUsbDevices);

// A list that is not valid never gets here: the last valid one stays in force.
function devicesOf<Device>(
  { annotations }: HcoFact,
  key: string,
  read: (text: string) => Devices<Device>,
): readonly Device[] {
  const found = read(annotationOf(annotations, key) ?? "");
  if (found.kind === "refused") throw new Error(`cannot render the devices of annotation ${key}: ${found.reason}`);
  return found.devices;
}
