// What the operator must be allowed for an asset, from its target and the reads that it declares.

import type { Ref } from "@virt/api";
import type { Asset, PlacedRef, Read } from "@virt/platform";
import { namespaceOf, platform } from "../operators.ts";
import { follow, type Right, rights, type Subject } from "./right.ts";

const machineConfigs = { group: "machineconfiguration.openshift.io", resource: "machineconfigs" };
const pools = { group: "machineconfiguration.openshift.io", resource: "machineconfigpools" };

/**
 * Server-side apply has the name in its path, so that even a creation is granted for that name alone. What has no switch
 * is never switched off, so never deleted, before which it is read.
 */
export function rightsForTarget({ target, create = true, switch: declared }: Asset): readonly Right[] {
  const own = resourceOf(target);
  return [
    ...rights(own, ...follow, "patch"),
    ...(create ? rights(own, "create") : []),
    ...(create && declared !== undefined ? rights(own, "get", "delete") : []),
  ];
}

export function rightsToRead({ target, reads, alternates = [], singleton = false }: Asset): readonly Right[] {
  const isKubelet = target.kind === "KubeletConfig";
  return [
    ...Object.values(reads).flatMap(rightsForRead),
    ...alternates.flatMap((ref) => rights(resourceOf(ref), ...follow)),
    ...(singleton || isKubelet ? rights(kindOf(target), ...follow) : []),
    ...(isKubelet ? rights({ ...pools, name: "worker" }, ...follow) : []),
    ...namespaceRights(target.namespace),
  ];
}

function namespaceRights(namespace: string | undefined): readonly Right[] {
  if (namespace === undefined || namespace === "$hco") return [];
  return rights({ group: "", resource: "namespaces", name: namespaceOf(namespace, platform) }, ...follow);
}

function rightsForRead(read: Read): readonly Right[] {
  switch (read.read) {
    case "hco":
    case "hardware":
    case "topology":
    case "images":
    case "schema":
      return []; // followed for every asset
    case "object":
      return rights(resourceOf(read.ref), ...follow);
    case "objects":
      return rights(kindOf(read), ...follow);
    case "pool":
      // Rendered configurations have names that nobody knows beforehand.
      return [...rights({ ...pools, name: read.name }, ...follow), ...rights(machineConfigs, "get")];
  }
}

/** Regular for every kind in the catalog; a test asks an API server. */
export function kindOf({ apiVersion, kind }: Pick<Ref, "apiVersion" | "kind">): Subject {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return { group, resource: `${kind.toLowerCase()}s` };
}

export function resourceOf({ apiVersion, kind, name, namespace }: Ref | PlacedRef): Subject {
  return { ...kindOf({ apiVersion, kind }), name, ...(namespace && { namespace: namespaceOf(namespace, platform) }) };
}
