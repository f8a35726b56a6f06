// Reads the vfio-devices and usb-devices annotations: devices to assign to VMs.

import type { Json, JsonMap } from "@virt/api";
import { asText, isList, isMap, member } from "@virt/objects";
import { isResourceName, readYaml, shorten } from "./annotation-values.ts";

/** A PCI device of the vfio-devices annotation. */
export type VfioDevice = {
  /** Vendor and device ID in hexadecimal, as the user wrote them. */
  readonly selector: string;
  readonly resourceName: string;
  readonly externalResourceProvider?: boolean;
};

/** A USB device of the usb-devices annotation. */
export type UsbDevice = {
  readonly resourceName: string;
  readonly selectors: readonly UsbSelector[];
  readonly externalResourceProvider?: boolean;
};

export type UsbSelector = { readonly vendor: string; readonly product: string };

/** The result of reading a list. One invalid entry makes the whole list invalid. */
export type Devices<Device> =
  | { readonly kind: "devices"; readonly devices: readonly Device[] }
  | { readonly kind: "refused"; readonly reason: string };

/** Reads the vfio-devices annotation: 1 to 16 entries. */
export function readVfioDevices(text: string): Devices<VfioDevice> {
  return readDevices(text, {
    most: 16,
    keys: ["selector", "resourceName", "externalResourceProvider"],
    readEntry: readVfio,
    identify: ({ selector }) => ({ name: "selector", value: selector.toLowerCase() }),
  });
}

/** Reads the usb-devices annotation: 1 to 32 entries. */
export function readUsbDevices(text: string): Devices<UsbDevice> {
  return readDevices(text, {
    most: 32,
    keys: ["resourceName", "selectors", "externalResourceProvider"],
    readEntry: readUsb,
    identify: ({ resourceName }) => ({ name: "resourceName", value: resourceName }),
  });
}

/** Validators of the device annotations, by short key. They return the reason, or undefined if the value is valid. */
export const deviceAnnotations: Readonly<Record<string, (text: string) => string | undefined>> = {
  "vfio-devices": (text) => refusalOf(readVfioDevices(text)),
  "usb-devices": (text) => refusalOf(readUsbDevices(text)),
};

function refusalOf(devices: Devices<unknown>): string | undefined {
  return devices.kind === "refused" ? devices.reason : undefined;
}

const mostBytes = 16_384;

type Rules<Device> = {
  readonly most: number;
  readonly keys: readonly string[];
  readonly readEntry: (entry: JsonMap) => Device | Wrong;
  readonly identify: (device: Device) => { readonly name: string; readonly value: string };
};

type Wrong = { readonly wrong: string };

function readDevices<Device extends object>(text: string, rules: Rules<Device>): Devices<Device> {
  const read = readYaml(text.trim(), mostBytes);
  if (read.kind === "refused") return read;
  if (!isList(read.value)) return refused("not a list");
  const count = read.value.length;
  if (count < 1 || count > rules.most) return refused(`must have 1 to ${rules.most} entries, not ${count}`);
  const devices: Device[] = [];
  const known = new Set<string>();
  for (const [at, entry] of read.value.entries()) {
    const device = readOne(entry, rules, known);
    if ("wrong" in device) return refused(`entry ${at}: ${device.wrong}`);
    devices.push(device);
  }
  return { kind: "devices", devices };
}

function readOne<Device extends object>(entry: Json, rules: Rules<Device>, known: Set<string>): Device | Wrong {
  if (!isMap(entry)) return { wrong: "not a map" };
  const other = Object.keys(entry).find((key) => !rules.keys.includes(key));
  if (other !== undefined) return { wrong: `unknown key ${shorten(other)}` };
  const device = rules.readEntry(entry);
  if ("wrong" in device) return device;
  const { name, value } = rules.identify(device);
  if (known.has(value)) return { wrong: `${name} ${value} is listed twice` };
  known.add(value);
  return device;
}

function refused(reason: string): { readonly kind: "refused"; readonly reason: string } {
  return { kind: "refused", reason };
}

function readVfio(entry: JsonMap): VfioDevice | Wrong {
  const selector = asText(member(entry, "selector"));
  if (selector === undefined || !/^[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}$/.test(selector))
    return wrongValue(entry, "selector", "vendor and device as a string, such as 10DE:1EB8");
  const offered = readOffer(entry);
  return "wrong" in offered ? offered : { selector, ...offered };
}

function readUsb(entry: JsonMap): UsbDevice | Wrong {
  const selectors = readUsbSelectors(member(entry, "selectors"));
  if ("wrong" in selectors) return selectors;
  const offered = readOffer(entry);
  return "wrong" in offered ? offered : { ...offered, selectors };
}

function readUsbSelectors(given: Json | undefined): readonly UsbSelector[] | Wrong {
  if (!isList(given)) return { wrong: "selectors must be a list" };
  if (given.length < 1 || given.length > 16) return { wrong: `must have 1 to 16 selectors, not ${given.length}` };
  const selectors: UsbSelector[] = [];
  for (const [at, each] of given.entries()) {
    const selector = isMap(each) ? readUsbSelector(each) : { wrong: "not a map" };
    if ("wrong" in selector) return { wrong: `selector ${at}: ${selector.wrong}` };
    selectors.push(selector);
  }
  return selectors;
}

function readUsbSelector(given: JsonMap): UsbSelector | Wrong {
  const other = Object.keys(given).find((key) => key !== "vendor" && key !== "product");
  if (other !== undefined) return { wrong: `unknown key ${shorten(other)}` };
  const [vendor, product] = ["vendor", "product"].map((key) => asText(member(given, key)));
  const wanted = '1 to 4 hexadecimal digits as a string, such as "46f4"';
  if (vendor === undefined || !usbId.test(vendor)) return wrongValue(given, "vendor", wanted);
  if (product === undefined || !usbId.test(product)) return wrongValue(given, "product", wanted);
  return { vendor, product };
}

const usbId = /^[0-9A-Fa-f]{1,4}$/;

type Offer = { readonly resourceName: string; readonly externalResourceProvider?: boolean };

function readOffer(entry: JsonMap): Offer | Wrong {
  const resourceName = asText(member(entry, "resourceName"));
  if (resourceName === undefined || !isResourceName(resourceName))
    return wrongValue(
      entry,
      "resourceName",
      "a qualified name outside kubernetes.io, such as nvidia.com/TU104GL_Tesla_T4",
    );
  const isExternal = member(entry, "externalResourceProvider");
  if (isExternal === undefined) return { resourceName };
  if (typeof isExternal !== "boolean") return wrongValue(entry, "externalResourceProvider", "true or false");
  return { resourceName, externalResourceProvider: isExternal };
}

function wrongValue(entry: JsonMap, key: string, wanted: string): Wrong {
  const value = member(entry, key);
  const shown = value === undefined ? "absent" : shorten(JSON.stringify(value));
  return { wrong: `${key} must be ${wanted}, but is ${shown}` };
}
