// What the operator must be allowed for an asset, from its target and the reads that it declares.

import type { Ref } from "@virt/api";
import type { Asset, AssetRead, PlacedRef } from "@virt/platform";
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

export function rightsToRead({ target, reads, alternates = [], singleton = false, poolRule }: Asset): readonly Right[] {
  return [
    ...Object.values(reads).flatMap(rightsForRead),
    ...alternates.flatMap((ref) => rights(resourceOf(ref), ...follow)),
    ...(singleton || poolRule !== undefined ? rights(kindOf(target), ...follow) : []),
    ...(poolRule === undefined ? [] : rights({ ...pools, name: poolRule }, ...follow)),
    ...namespaceRights(target.namespace),
  ];
}

function namespaceRights(namespace: string | undefined): readonly Right[] {
  if (namespace === undefined || namespace === "$hco") return [];
  return rights({ group: "", resource: "namespaces", name: namespaceOf(namespace, platform) }, ...follow);
}

function rightsForRead(read: AssetRead): readonly Right[] {
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

type DeclaredKind = Pick<Ref, "apiVersion" | "kind"> & { readonly crd?: string };

/** As its CRD names it, else as Kubernetes guesses it; a test asks an API server. */
export function kindOf({ apiVersion, kind, crd }: DeclaredKind): Subject {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return { group, resource: crd === undefined ? pluralOf(kind) : crd.slice(0, crd.indexOf(".")) };
}

// https://pkg.go.dev/k8s.io/apimachinery/pkg/api/meta#UnsafeGuessKindToResource
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith("s")) return `${singular}es`;
  return singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

export function resourceOf({ name, namespace, ...kind }: (Ref | PlacedRef) & DeclaredKind): Subject {
  return { ...kindOf(kind), name, ...(namespace && { namespace: namespaceOf(namespace, platform) }) };
}
