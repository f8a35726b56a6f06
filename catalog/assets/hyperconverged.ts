// The HyperConverged, which several assets write, and the devices listed in its annotations.

import { contentForms, type JsonMap, type KubeObject, type ObjectForm } from "@virt/api";
import {
  type AssetHcoFact,
  annotationOf,
  type Devices,
  type Feature,
  readUsbDevices,
  readVfioDevices,
} from "@virt/platform";
import { hcoForms, hyperConverged } from "../profiles/hyperconverged.ts";

const { group, kind, plural, name } = hyperConverged;

/**
 * Common settings of all assets that write the HyperConverged. They never create it, because that would install
 * OpenShift Virtualization.
 */
export const hcoPart = {
  order: 0,
  target: {
    apiVersion: `${group}/v1`,
    kind,
    name,
    namespace: "$hco",
    crd: `${plural}.${group}`,
    operator: "HyperConverged Cluster Operator",
  },
  needs: [],
  dependency: "platform",
  adoption: "fieldwise",
  create: false,
  impact: "pods",
} as const;

type Specs = { readonly v1beta1: JsonMap; readonly v1: JsonMap };

export function renderHco({ apiVersion, namespace }: AssetHcoFact, { v1beta1, v1 }: Specs): KubeObject {
  const spec = apiVersion === `${group}/v1beta1` ? v1beta1 : v1;
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}

const { fields, kept, listOf, oneOf, optional, required, text } = contentForms;

/** Returns the allowed content of a device list. `spec.permittedHostDevices` is removed together with the last device. */
export function deviceForms(kind: "pciHostDevices" | "usbHostDevices"): readonly ObjectForm[] {
  const offer = {
    resourceName: required(
      text("[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", 317),
    ),
    externalResourceProvider: optional(oneOf(true, false)),
  };
  const usbId = required(text("[0-9A-Fa-f]{1,4}", 4));
  const selectors = listOf([fields({ vendor: usbId, product: usbId })], 1, 16);
  const device =
    kind === "pciHostDevices"
      ? fields({ ...offer, pciDeviceSelector: required(text("[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}", 9)) })
      : fields({ ...offer, selectors: required(selectors) });
  const permittedHostDevices = optional(fields({ [kind]: optional(listOf([device], 0, 256)) }));
  return hcoForms({
    v1beta1: fields({ permittedHostDevices }),
    v1: fields({ virtualization: kept(fields({ permittedHostDevices })) }),
  });
}

export const vfioAssignment: Feature = {
  name: "vfio-assign",
  description: "Named PCI devices for VMs",
  maturity: "DP",
};

export const vfioDevices = (hco: AssetHcoFact) => devicesOf(hco, "vfio-devices", readVfioDevices);
export const usbDevices = (hco: AssetHcoFact) => devicesOf(hco, "usb-devices", readUsbDevices);

// The list is always valid here. If the annotation is invalid, its last valid value stays in effect.
function devicesOf<Device>(
  { annotations }: AssetHcoFact,
  key: string,
  read: (text: string) => Devices<Device>,
): readonly Device[] {
  const found = read(annotationOf(annotations, key) ?? "");
  if (found.kind === "refused") throw new Error(`cannot render the devices of annotation ${key}: ${found.reason}`);
  return found.devices;
}
