// Derives the operator's permissions for an asset from its target and reads.

import type { Ref } from "@virt/api";
import type { Asset, AssetRead, PlacedRef } from "@virt/platform";
import { namespaceOf, platform } from "../operators.ts";
import { follow, type Right, rights, type Subject } from "./right.ts";

const machineConfigs = { group: "machineconfiguration.openshift.io", resource: "machineconfigs" };
const pools = { group: "machineconfiguration.openshift.io", resource: "machineconfigpools" };

/**
 * Server-side apply has the name of the object in its path, so even `create` is granted by name. Only an asset with a
 * switch can be disabled, which reads and deletes its object.
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
    case "served":
      return [];
    case "object":
      return rights(resourceOf(read.ref), ...follow);
    case "objects":
      return rights(kindOf(read), ...follow);
    case "pool":
      // The names of rendered MachineConfigs are unpredictable.
      return [...rights({ ...pools, name: read.name }, ...follow), ...rights(machineConfigs, "get")];
  }
}

type DeclaredKind = Pick<Ref, "apiVersion" | "kind"> & { readonly crd?: string };

/** Takes the plural from the CRD, or guesses it as Kubernetes does. A test verifies it on an API server. */
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
