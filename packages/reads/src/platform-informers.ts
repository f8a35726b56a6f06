// The informers of the platform controller: managed objects, the inputs of their assets and admission configuration.

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
} from "@virt/cluster";
import type { InformerSpec } from "@virt/kube";
import {
  type Asset,
  type AssetRead,
  consentRecordName,
  governanceRecordName,
  type ManagedObject,
  type Places,
  placed,
} from "@virt/platform";

/** Returns the informer of the record of released assets. */
export function governanceInformer(namespace: string): InformerSpec {
  const projection = { keep: "parts", parts: [["data"]] } as const;
  return { apiVersion: "v1", kind: "ConfigMap", name: governanceRecordName, namespace, projection };
}

/** Returns the informer of the record of what users consented to. */
export function consentInformer(namespace: string): InformerSpec {
  const projection = { keep: "parts", parts: [["data"]] } as const;
  return { apiVersion: "v1", kind: "ConfigMap", name: consentRecordName, namespace, projection };
}

/** Returns one informer per HyperConverged version, newest first. Empty `hcoNamespace`: all namespaces. */
export function platformHcoInformers(hcoNamespace: string): readonly InformerSpec[] {
  return hcoInformers(hcoNamespace, ownedContentProjection);
}

/** Returns the informer of a managed object. The HyperConverged is watched in all namespaces unless one is pinned. */
export function managedInformer(ref: Ref, hcoNamespace: string): InformerSpec {
  if (ref.kind !== "HyperConverged") return objectInformer(ref);
  const { apiVersion, kind } = ref;
  return objectInformer({ apiVersion, kind, name: hcoName, ...(hcoNamespace !== "" && { namespace: hcoNamespace }) });
}

/** The kinds through which admission can mutate our writes. Watched only after a write was mutated, and only for spec changes. */
export const admissionInformers: readonly InformerSpec[] = [
  "MutatingWebhookConfiguration",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
].map((kind) => kindInformer("admissionregistration.k8s.io/v1", kind, [["metadata", "generation"]]));

/** Reports whether the informer watches webhooks or admission policies. */
export function isAdmissionInformer({ apiVersion, kind }: InformerSpec): boolean {
  return admissionInformers.some((spec) => spec.apiVersion === apiVersion && spec.kind === kind);
}

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
    case "served":
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

/** `shows` contains the informers for the object itself, `reads` those for its inputs. */
export type ObjectInformers = { readonly shows: readonly InformerSpec[]; readonly reads: readonly InformerSpec[] };

/** Omits the HyperConverged, which always has an informer. */
export function objectInformersOf({ ref, assets }: ManagedObject, places: Places): ObjectInformers {
  const shows = ref.kind === "HyperConverged" ? [] : [objectInformer(ref)];
  return { shows, reads: assets.flatMap((asset) => assetInformers(asset, places)) };
}
