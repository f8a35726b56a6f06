// A cluster for the tests of assets, which change one fact of it.

import type { JsonMap } from "@virt/api";
import { writeYaml } from "@virt/engine";
import {
  type AnyFacts,
  type Asset,
  type Hardware,
  type HcoFact,
  readHco,
  readTopology,
  type Topology,
} from "@virt/platform";

export type Version = "v1" | "v1beta1";

/** A HyperConverged without opinions, in this version, with these annotations of ours. */
export function hcoWith(version: Version, said: Readonly<Record<string, string>> = {}, spec: JsonMap = {}): HcoFact {
  const annotations = Object.fromEntries(
    Object.entries(said).map(([key, value]) => [`platform.kubevirt.io/${key}`, value]),
  );
  const metadata = { name: "kubevirt-hyperconverged", namespace: "openshift-cnv", annotations };
  return readHco({ apiVersion: `hco.kubevirt.io/${version}`, kind: "HyperConverged", metadata, spec }, undefined);
}

export const plainHardware: Hardware = {
  pciDevicesPresent: false,
  numaNodesPresent: false,
  vfioCapable: false,
  usbDevicesPresent: false,
  gpuPresent: false,
  podSubnetPrefix: undefined,
};

export const openShift: Topology = readTopology({
  infrastructure: undefined,
  scheduler: undefined,
  nodes: [],
  crds: new Set(["infrastructures.config.openshift.io"]),
});

/** Every fact that an asset may ask for. Kinds that are not installed, and objects that are not there, are absent. */
export const world: AnyFacts = {
  ownNamespace: "virt-platform-operator-system",
  hco: hcoWith("v1"),
  hardware: plainHardware,
  topology: openShift,
  own: undefined,
  pool: undefined,
  workerPool: undefined,
  kubeletConfigs: [],
  templates: [],
  controllers: undefined,
  plugins: undefined,
  deschedulers: undefined,
  rules: undefined,
};

/** What an asset renders in the world with these changes, as YAML, or why it renders nothing. */
export function rendered(asset: Asset, changed: Readonly<Record<string, AnyFacts[string]>> = {}): string {
  const object = asset.render({ ...world, ...changed });
  return "kind" in object ? writeYaml(object) : `nothing: ${JSON.stringify(object["nothing"])}`;
}
