// What the operator must be allowed for an asset, from its target and the reads that it declares.

import type { Ref } from "@virt/api";
import type { Asset, PlacedRef, Read } from "@virt/platform";
import { follow, type Right, rights } from "./right.ts";

const machineConfigs = { group: "machineconfiguration.openshift.io", resource: "machineconfigs" };
const pools = { group: "machineconfiguration.openshift.io", resource: "machineconfigpools" };
const config = "config.openshift.io";

export function rightsForAsset(asset: Asset): readonly Right[] {
  const { target, reads, alternates = [], singleton = false } = asset;
  const isShared = singleton || target.kind === "KubeletConfig";
  return [
    ...rightsToKeep(asset),
    ...Object.values(reads).flatMap(rightsToRead),
    ...alternates.flatMap((ref) => rights(resourceOf(ref), ...follow)),
    ...(isShared ? rights(kindOf(target), ...follow) : []),
    ...(isShared && target.kind === "KubeletConfig" ? rights({ ...pools, name: "worker" }, ...follow) : []),
    ...namespaceRights(target.namespace),
  ];
}

// Server-side apply has the name in its path, so that even a creation is granted for that name alone.
function rightsToKeep({ target, create = true }: Asset): readonly Right[] {
  const isPrunable = create && target.kind !== "HyperConverged";
  const verbs = [...follow, "patch", ...(create ? ["create"] : []), ...(isPrunable ? ["delete"] : [])] as const;
  return rights(resourceOf(target), ...(verbs as Parameters<typeof rights>[1][]));
}

function namespaceRights(namespace: string | undefined): readonly Right[] {
  if (namespace === undefined || namespace === "$hco") return [];
  const name = namespace === "$operator" ? "virt-platform-operator-system" : namespace;
  return rights({ group: "", resource: "namespaces", name }, ...follow);
}

function rightsToRead(read: Read): readonly Right[] {
  switch (read.read) {
    case "hco":
    case "images":
    case "schema":
      return []; // the HyperConverged and the CRDs are followed in any case
    case "hardware":
    case "topology":
      return [
        ...rights({ group: "", resource: "nodes" }, ...follow),
        ...rights({ group: config, resource: "infrastructures", name: "cluster" }, ...follow),
        ...rights({ group: config, resource: "schedulers", name: "cluster" }, ...follow),
      ];
    case "object":
      return rights(resourceOf(read.ref), ...follow);
    case "objects":
      return rights(kindOf(read), ...follow);
    case "pool":
      return [...rights({ ...pools, name: read.name }, ...follow), ...rights(machineConfigs, "get")];
  }
}

/** Regular for every kind in the catalog; a test asks an API server. */
function kindOf({ apiVersion, kind }: Pick<Ref, "apiVersion" | "kind">) {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return { group, resource: `${kind.toLowerCase()}s` };
}

function resourceOf(ref: Ref | PlacedRef) {
  return { ...kindOf(ref), name: ref.name };
}
