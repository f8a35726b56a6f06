// Informers that both controllers share, the parts that caches keep, and the reads that profiles and assets declare.

import { configKind, type Ref } from "@virt/api";
import {
  asList,
  asText,
  at,
  type InformerSpec,
  type Json,
  type JsonMap,
  type KubeObject,
  member,
  type ProjectionMember,
} from "@virt/objects";
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

/** Keeps the name, namespace, uid, deletion timestamp and these fields. */
export function keepMembers(...kept: readonly ProjectionMember[]): InformerSpec["projection"] {
  return {
    keep: "members",
    members: [["metadata", "name"], ["metadata", "namespace"], ["metadata", "deletionTimestamp"], ...kept],
  };
}

/** Keeps only conditions of these types, and only these fields in them. */
export function keepConditions(
  among: readonly string[],
  parts: readonly string[] = ["type", "status", "reason"],
): readonly ProjectionMember[] {
  return parts.map((part) => ["status", "conditions", { among, key: "type" }, part]);
}

export function keepOwners(...among: readonly string[]): readonly ProjectionMember[] {
  return ["kind", "name", "controller"].map((part) => ["metadata", "ownerReferences", { among, key: "kind" }, part]);
}

/** Truncates strings that namespace users can write. Real values take a few dozen bytes, but the API server sets no limit. */
const shortText = { atMost: 1_000 };
export function shortTexts(...paths: readonly ProjectionMember[]): readonly ProjectionMember[] {
  return paths.map((path) => [...path, shortText]);
}

/** Reads the HyperConverged. */
export const hco = () => ({ read: "hco" }) as const;
/** Reads an object. The fact is undefined if the object does not exist. */
export const object = <R extends Omit<Ref, "namespace">>(ref: R) => ({ read: "object", ref }) as const;
/** Reads all objects of a kind: their metadata and these parts. `crd` is required if the plural is irregular. */
export const objects = (apiVersion: string, kind: string, parts: ReadParts = [], crd?: string) =>
  ({ read: "objects", apiVersion, kind, parts, ...(crd !== undefined && { crd }) }) as const;
/** Reads the openAPIV3Schema of a CRD version. The fact is undefined if the version is not served. */
export const schema = (crd: string, version: string) => ({ read: "schema", crd, version }) as const;

/** Returns the openAPIV3Schema of a version in a CRD, or undefined if the version is missing or not served. */
export function readVersionSchema(crd: KubeObject | undefined, version: string): JsonMap | undefined {
  return at(servedVersion(crd, version), "schema", "openAPIV3Schema") as JsonMap | undefined;
}

/** Reports whether the CRD serves the version. An absent CRD serves none. */
export function isVersionServed(crd: KubeObject | undefined, version: string): boolean {
  return servedVersion(crd, version) !== undefined;
}

function servedVersion(crd: KubeObject | undefined, version: string): Json | undefined {
  return asList(at(crd, "spec", "versions")).find(
    // Bundled schemas have no `served` field, so a missing one counts as served.
    (one) => asText(member(one, "name")) === version && member(one, "served") !== false,
  );
}
