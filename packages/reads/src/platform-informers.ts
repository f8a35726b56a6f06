// Which informers the objects of the platform need: what shows an object, what its assets read, and what changes our writes.

import type { Ref } from "@virt/api";
import {
  hcoInformers,
  hcoName,
  kindInformer,
  namespaceInformer,
  objectInformer,
  ownedContentProjection,
  poolInformerOf,
  poolRuleParts,
} from "@virt/facts";
import type { InformerSpec } from "@virt/kube";
import {
  type Asset,
  type AssetRead,
  governanceRecordName,
  type ManagedObject,
  type Places,
  placed,
} from "@virt/platform";

/** Where the controller keeps which plans let go of which asset. */
export function governanceInformer(namespace: string): InformerSpec {
  const projection = { keep: "parts", parts: [["data"]] } as const;
  return { apiVersion: "v1", kind: "ConfigMap", name: governanceRecordName, namespace, projection };
}

export function platformHcoInformers(hcoNamespace: string): readonly InformerSpec[] {
  return hcoInformers(hcoNamespace, ownedContentProjection);
}

/** The informer that shows a managed object. That of the HyperConverged is for all namespaces, unless one is pinned. */
export function managedInformer(ref: Ref, hcoNamespace: string): InformerSpec {
  if (ref.kind !== "HyperConverged") return objectInformer(ref);
  const { apiVersion, kind } = ref;
  return objectInformer({ apiVersion, kind, name: hcoName, ...(hcoNamespace !== "" && { namespace: hcoNamespace }) });
}

/** What may change our writes on their way; that it changed is all we need to know. They have informers only while they do. */
export const admissionInformers: readonly InformerSpec[] = [
  "MutatingWebhookConfiguration",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
].map((kind) => kindInformer("admissionregistration.k8s.io/v1", kind, [["metadata", "generation"]]));

export function isAdmissionInformer({ apiVersion, kind }: InformerSpec): boolean {
  return admissionInformers.some((spec) => spec.apiVersion === apiVersion && spec.kind === kind);
}

/** What a declared read needs, beside what always has an informer. */
function readInformers(read: AssetRead, places: Places): readonly InformerSpec[] {
  switch (read.read) {
    case "object":
      return [objectInformer(placed(read.ref, places))];
    case "objects":
      return [kindInformer(read.apiVersion, read.kind, read.parts)];
    case "pool":
      return [poolInformerOf(read.name)];
    case "hco":
    case "hardware":
    case "topology":
    case "images":
    case "schema":
      return [];
  }
}

function assetInformers(asset: Asset, places: Places): readonly InformerSpec[] {
  const target = placed(asset.target, places);
  const isAlone = asset.singleton === true;
  const { poolRule } = asset;
  return [
    ...Object.values(asset.reads).flatMap((read) => readInformers(read, places)),
    ...(asset.alternates ?? []).map((ref) => objectInformer(placed(ref, places))),
    ...(target.namespace === undefined || target.namespace === places.hcoNamespace
      ? []
      : [namespaceInformer(target.namespace)]),
    ...(isAlone ? [kindInformer(target.apiVersion, target.kind)] : []),
    ...(poolRule === undefined
      ? []
      : [kindInformer(target.apiVersion, target.kind, poolRuleParts), poolInformerOf(poolRule)]),
  ];
}

/** Of one object: what shows it, and what it is made from. */
export type ObjectInformers = { readonly shows: readonly InformerSpec[]; readonly reads: readonly InformerSpec[] };

/** The HyperConverged has an informer in any case. */
export function objectInformersOf({ ref, assets }: ManagedObject, places: Places): ObjectInformers {
  const shows = ref.kind === "HyperConverged" ? [] : [objectInformer(ref)];
  return { shows, reads: assets.flatMap((asset) => assetInformers(asset, places)) };
}
