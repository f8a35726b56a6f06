// Which HyperConverged this cluster is steered by.

import type { KubeObject } from "@virt/api";
import { canonicalJson, oncePer } from "@virt/engine";
import type { Watch, WatchSpec } from "@virt/kube";
import { annotationPrefix, objectAnnotations } from "@virt/platform";
import { hcoWatchesFor } from "./watches.ts";

export type ChosenHco =
  | { readonly kind: "found"; readonly object: KubeObject }
  | { readonly kind: "none" }
  | { readonly kind: "several"; readonly first: KubeObject }
  | { readonly kind: "starting" };

const preferred = ["openshift-cnv", "kubevirt-hyperconverged"];

/** In the newest version that is served. Of several, the one in a usual namespace. */
export function chooseHco(find: (spec: WatchSpec) => Watch | undefined, namespace: string): ChosenHco {
  const watches = hcoWatchesFor(namespace).map(find);
  const served = watches.find((watch) => watch !== undefined && watch.state !== "not served");
  if (served === undefined) return watches[0] === undefined ? { kind: "starting" } : { kind: "none" };
  return served.state === "starting" ? { kind: "starting" } : pickHco([...served.store.items()]);
}

export function pickHco(objects: readonly KubeObject[]): Exclude<ChosenHco, { kind: "starting" }> {
  const [only] = objects;
  if (only === undefined) return { kind: "none" };
  if (objects.length === 1) return { kind: "found", object: only };
  const usual = preferred.flatMap((place) => objects.find(({ metadata }) => metadata.namespace === place) ?? [])[0];
  return usual === undefined ? { kind: "several", first: only } : { kind: "found", object: usual };
}

/** What others are rendered from: not its status, nor what people say to others, or to us about this one object. */
export const contentOf = oncePer((hco: KubeObject): string => {
  const said = Object.entries(hco.metadata.annotations ?? {}).filter(([key]) => isSaidToAll(key));
  return canonicalJson({ spec: hco["spec"] ?? {}, annotations: Object.fromEntries(said) });
});

const saidToOne: ReadonlySet<string> = new Set(Object.values(objectAnnotations));

function isSaidToAll(key: string): boolean {
  return key.startsWith(annotationPrefix) && !saidToOne.has(key);
}
