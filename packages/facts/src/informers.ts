// What both controllers read through informers, and what their caches show of it.

import { configKind, type KubeObject, type Ref } from "@virt/api";
import type { InformerSpec } from "@virt/engine";
import { networkParts, nodeMembers } from "./hardware.ts";
import { infrastructureParts, schedulerParts } from "./topology.ts";

/** What a cache has of an informer. "starting": nothing is known yet. "not served": there is no such kind, which is a fact. */
export type CachedList = {
  readonly state: "starting" | "synced" | "not served";
  readonly store: { readonly items: () => Iterable<KubeObject> };
};

/** Undefined: there is no such informer. */
export type FindCached = (spec: InformerSpec) => CachedList | undefined;

/** Paths of keys that are kept beside the metadata. */
export type ReadParts = readonly (readonly string[])[];

const partsOnly = (parts: ReadParts) => ({ keep: "parts", parts }) as const;

/** All VirtPlatformConfigs, whole. */
export const configInformer: InformerSpec = {
  apiVersion: configKind.apiVersion,
  kind: configKind.kind,
  projection: { keep: "all" },
};

/** Large clusters have thousands of nodes, so nothing else of them is kept. */
export const nodeInformer: InformerSpec = {
  apiVersion: "v1",
  kind: "Node",
  projection: { keep: "members", members: nodeMembers },
};

/** Where the cluster runs; not served outside OpenShift. */
export const infrastructureInformer: InformerSpec = {
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  name: "cluster",
  projection: partsOnly(infrastructureParts),
};

/** Whether masters take workloads; not served outside OpenShift. */
export const schedulerInformer: InformerSpec = {
  apiVersion: "config.openshift.io/v1",
  kind: "Scheduler",
  name: "cluster",
  projection: partsOnly(schedulerParts),
};

/** The size of pod networks; not served outside OpenShift. */
export const networkInformer: InformerSpec = {
  apiVersion: "config.openshift.io/v1",
  kind: "Network",
  name: "cluster",
  projection: partsOnly(networkParts),
};

/** Only whether it exists. */
export function namespaceInformer(name: string): InformerSpec {
  return { apiVersion: "v1", kind: "Namespace", name, projection: partsOnly([]) };
}

/** All objects of a kind, with these parts beside their metadata. */
export function kindInformer(apiVersion: string, kind: string, parts: ReadParts = []): InformerSpec {
  return { apiVersion, kind, projection: partsOnly(parts) };
}

const content: ReadParts = [["spec"], ["data"], ["metadata", "labels"], ["metadata", "annotations"]];

/** What people configure of an object. Its status changes all the time and nobody here reads it. */
export const contentProjection = partsOnly(content);

/** The same, with what the object's operator reports and who owns which field. */
export const reportedContentProjection = partsOnly([
  ...content,
  ["metadata", "managedFields"],
  ["metadata", "generation"],
  ["status", "observedGeneration"],
  ["status", "conditions"],
]);

/** The same, with who owns which field. */
export const ownedContentProjection = partsOnly([...content, ["metadata", "managedFields"]]);

/** One object, with its content and who owns which field of it. */
export function objectInformer({ apiVersion, kind, namespace, name }: Ref): InformerSpec {
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), projection: ownedContentProjection };
}
