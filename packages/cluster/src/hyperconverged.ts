// Selects the HyperConverged that both controllers use.

import type { KubeObject } from "@virt/api";
import type { InformerSpec, Projection } from "@virt/objects";
import type { FindCached } from "./informers.ts";

export type ChosenHyperConverged =
  | { readonly kind: "found"; readonly object: KubeObject }
  /** None was found. `elsewhere` lists HyperConvergeds outside the pinned namespace. */
  | { readonly kind: "none"; readonly elsewhere: readonly KubeObject[] }
  /** Several were found, none of them in a usual namespace, and no namespace is pinned. */
  | { readonly kind: "several"; readonly objects: readonly KubeObject[] };

/** The namespaces of OpenShift Virtualization and of the upstream operator, preferred one first. */
export const usualHcoNamespaces = ["openshift-cnv", "kubevirt-hyperconverged"] as const;

/** Selects the HyperConverged from the pinned namespace, or from all namespaces if `pinned` is empty. */
export function chooseHyperConverged(listed: readonly KubeObject[], pinned: string): ChosenHyperConverged {
  const objects = pinned === "" ? listed : listed.filter(({ metadata }) => metadata.namespace === pinned);
  const usual = usualHcoNamespaces.flatMap((place) => objects.filter(({ metadata }) => metadata.namespace === place));
  const [object = objects[0]] = usual;
  if (object === undefined) return { kind: "none", elsewhere: listed };
  return usual.length > 0 || objects.length === 1 ? { kind: "found", object } : { kind: "several", objects };
}

/** Returns the message for an ambiguous HyperConverged. */
export function severalHyperConvergeds(objects: readonly KubeObject[]): string {
  return `More than one HyperConverged found, in namespaces ${namespacesOf(objects)}; set --hco-namespace`;
}

/** Returns the message for a wrong --hco-namespace. It must not make the user create a second HyperConverged. */
export function hyperConvergedElsewhere(objects: readonly KubeObject[], pinned: string): string {
  return `HyperConverged not found in namespace ${pinned} (set by --hco-namespace); it is in ${namespacesOf(objects)}. Remove --hco-namespace, or set it to that namespace`;
}

function namespacesOf(objects: readonly KubeObject[]): string {
  const namespaces = objects.map(({ metadata }) => metadata.namespace ?? "").toSorted();
  const more = namespaces.length > mostShown ? ` and ${namespaces.length - mostShown} more` : "";
  return `${namespaces.slice(0, mostShown).join(", ")}${more}`;
}

const mostShown = 5;

/** The only name that the HyperConverged operator accepts. */
export const hcoName = "kubevirt-hyperconverged";

/** The API versions, in order of preference. The first one that the API server serves is used. */
export const hcoVersions = ["hco.kubevirt.io/v1", "hco.kubevirt.io/v1beta1"] as const;

/** Returns one informer per API version, newest first. They cover all namespaces if `pinned` is empty. */
export function hcoInformers(pinned: string, projection: Projection): readonly InformerSpec[] {
  const place = pinned === "" ? {} : { namespace: pinned };
  return hcoVersions.map((apiVersion) => ({ apiVersion, kind: "HyperConverged", name: hcoName, ...place, projection }));
}

/** Returns the informers to run. The one for the older version runs only if the newer version is not served. */
export function wantedHcoInformers(informers: readonly InformerSpec[], find: FindCached): readonly InformerSpec[] {
  const [newest] = informers;
  if (newest === undefined) return [];
  return find(newest)?.state === "not served" ? informers : [newest];
}

/** The result of the search. `apiVersion` is the newest served version, or undefined if none is known to be served. */
export type FoundHyperConverged =
  | { readonly kind: "starting" }
  | (ChosenHyperConverged & { readonly apiVersion: string | undefined });

/** Finds the HyperConverged in the newest served version. Returns `starting` until that version is listed. */
export function findHyperConverged(
  informers: readonly InformerSpec[],
  find: FindCached,
  pinned: string,
): FoundHyperConverged {
  const caches = informers.map((spec) => ({ spec, cache: find(spec) }));
  const served = caches.find(({ cache }) => cache !== undefined && cache.state !== "not served");
  if (served?.cache === undefined)
    return caches[0]?.cache === undefined
      ? { kind: "starting" }
      : { kind: "none", elsewhere: [], apiVersion: undefined };
  if (served.cache.state === "starting") return { kind: "starting" };
  const chosen = chooseHyperConverged([...served.cache.store.items()], pinned);
  return { ...chosen, apiVersion: served.spec.apiVersion };
}
