import type { JsonMap, KubeObject } from "@virt/api";
import { type Hardware, readTopology, type Topology } from "@virt/cluster";
import { writeYaml } from "@virt/objects";
import { type AnyAssetFacts, type Asset, type AssetHcoFact, type AssetRead, readHco } from "@virt/platform";

export type HcoVersion = "v1" | "v1beta1";

export function hcoWith(
  version: HcoVersion,
  annotations: Readonly<Record<string, string>> = {},
  spec: JsonMap = {},
): AssetHcoFact {
  const prefixed = Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [`platform.kubevirt.io/${key}`, value]),
  );
  const metadata = { name: "kubevirt-hyperconverged", namespace: "openshift-cnv", annotations: prefixed };
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

const openShift: Topology = readTopology({
  infrastructure: undefined,
  scheduler: undefined,
  nodes: [],
  crds: new Set(["infrastructures.config.openshift.io"]),
});

/** A KubeVirt with the alpha feature gates that assets require. */
export const alphaKubeVirt: KubeObject = {
  apiVersion: "kubevirt.io/v1",
  kind: "KubeVirt",
  metadata: { name: "kubevirt-kubevirt-hyperconverged", namespace: "openshift-cnv" },
  spec: { configuration: { developerConfiguration: { featureGates: ["MigrationDowntimeTuning"] } } },
};

export const ownNamespace = "virt-platform-operator-system";

export type ChangedFacts = Readonly<Record<string, AnyAssetFacts[string]>>;

/** Returns facts for the asset's reads. Kinds that are not installed and objects that do not exist are absent. */
export function assetFacts({ reads }: Pick<Asset, "reads">, changed: ChangedFacts = {}): AnyAssetFacts {
  const plain = Object.entries(reads).map(([name, read]) => [name, plainFact(read)] as const);
  return { ownNamespace, ...Object.fromEntries(plain), ...changed };
}

function plainFact({ read }: AssetRead): AnyAssetFacts[string] {
  switch (read) {
    case "hco":
      return hcoWith("v1");
    case "hardware":
      return plainHardware;
    case "topology":
      return openShift;
    case "images":
      return {};
    case "objects":
      return [];
    case "served":
      return true;
    case "schema":
    case "object":
    case "pool":
      return undefined;
  }
}

export function renderedAsset(asset: Asset, changed: ChangedFacts = {}): string {
  const object = asset.render(assetFacts(asset, changed));
  return "kind" in object ? writeYaml(object) : `nothing: ${JSON.stringify(object["nothing"])}`;
}
