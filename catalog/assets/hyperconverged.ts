// The HyperConverged as a target that several assets share, each with a part of it, and the devices that people name by annotations on it.

import type { JsonMap, KubeObject } from "@virt/api";
import {
  type AssetHcoFact,
  annotationOf,
  type Devices,
  type Feature,
  readUsbDevices,
  readVfioDevices,
} from "@virt/platform";
import { hyperConverged } from "../profiles/hyperconverged.ts";

const { group, kind, plural, name } = hyperConverged;

/** What every part of it declares. It is never created: whoever installs OpenShift Virtualization does that. */
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

/** The part in the version that is served. */
export function renderHco({ apiVersion, namespace }: AssetHcoFact, { v1beta1, v1 }: Specs): KubeObject {
  const spec = apiVersion === `${group}/v1beta1` ? v1beta1 : v1;
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}

export const vfioAssignment: Feature = {
  name: "vfio-assign",
  description: "Named PCI devices for VMs",
  maturity: "DP",
};

export const vfioDevices = (hco: AssetHcoFact) => devicesOf(hco, "vfio-devices", readVfioDevices);
export const usbDevices = (hco: AssetHcoFact) => devicesOf(hco, "usb-devices", readUsbDevices);

// A list that is not valid never gets here: the last valid one stays in force.
function devicesOf<Device>(
  { annotations }: AssetHcoFact,
  key: string,
  read: (text: string) => Devices<Device>,
): readonly Device[] {
  const found = read(annotationOf(annotations, key) ?? "");
  if (found.kind === "refused") throw new Error(`cannot render the devices of annotation ${key}: ${found.reason}`);
  return found.devices;
}
