// Informers that both controllers share, and the projections of their caches.

import { configKind, type KubeObject, type Ref } from "@virt/api";
import type { InformerSpec } from "@virt/objects";
import { networkParts, nodeMembers } from "./hardware.ts";
import { infrastructureParts, schedulerParts } from "./topology.ts";

/** A cached list. `starting`: the first list is in progress. `not served`: the API server does not serve the kind. */
export type CachedList = {
  readonly state: "starting" | "synced" | "not served";
  readonly store: { readonly items: () => Iterable<KubeObject> };
};

/** Returns the cached list, or undefined if the informer is not running. */
export type FindCached = (spec: InformerSpec) => CachedList | undefined;

/** Field paths to keep in addition to the metadata. */
export type ReadParts = readonly (readonly string[])[];

const partsOnly = (parts: ReadParts) => ({ keep: "parts", parts }) as const;

/** Caches all VirtPlatformConfigs completely. */
export const configInformer: InformerSpec = {
  apiVersion: configKind.apiVersion,
  kind: configKind.kind,
  projection: { keep: "all" },
};

/** Keeps few members, because large clusters have thousands of nodes. */
export const nodeInformer: InformerSpec = {
  apiVersion: "v1",
  kind: "Node",
  projection: { keep: "members", members: nodeMembers },
};

/** Not served outside OpenShift. */
export const infrastructureInformer: InformerSpec = {
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  name: "cluster",
  projection: partsOnly(infrastructureParts),
};

/** Not served outside OpenShift. */
export const schedulerInformer: InformerSpec = {
  apiVersion: "config.openshift.io/v1",
  kind: "Scheduler",
  name: "cluster",
  projection: partsOnly(schedulerParts),
};

/** Not served outside OpenShift. */
export const networkInformer: InformerSpec = {
  apiVersion: "config.openshift.io/v1",
  kind: "Network",
  name: "cluster",
  projection: partsOnly(networkParts),
};

/** Returns an informer that only shows whether the namespace exists. */
export function namespaceInformer(name: string): InformerSpec {
  return { apiVersion: "v1", kind: "Namespace", name, projection: partsOnly([]) };
}

/** Returns an informer for all objects of a kind. Without `parts`, it keeps only metadata that identifies them. */
export function kindInformer(apiVersion: string, kind: string, parts: ReadParts = []): InformerSpec {
  return { apiVersion, kind, projection: partsOnly(parts) };
}

const content: ReadParts = [["spec"], ["data"], ["metadata", "labels"], ["metadata", "annotations"]];

/** Keeps the parts that users configure. Drops the status, which changes often. */
export const contentProjection = partsOnly(content);

/** Keeps the content, the reported conditions and the field owners. */
export const reportedContentProjection = partsOnly([
  ...content,
  ["metadata", "managedFields"],
  ["metadata", "generation"],
  ["status", "observedGeneration"],
  ["status", "conditions"],
]);

/** Keeps the content and the field owners. */
export const ownedContentProjection = partsOnly([...content, ["metadata", "managedFields"]]);

/** Returns an informer for one object, with its content and field owners but without its status. */
export function objectInformer({ apiVersion, kind, namespace, name }: Ref): InformerSpec {
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), projection: ownedContentProjection };
}
