// What is kept of an object in memory: all of it, its metadata, or the declared parts.

import { isMap, type Json, type JsonMap, type KubeObject } from "@virt/engine";

/**
 * Parts are paths of keys, such as `["status", "capacity"]`; identity and deletion are always kept. Of the labels only
 * those that begin like one of `labels`, where it is given: a node has hundreds of them.
 */
export type Projection =
  | { readonly keep: "all" }
  | { readonly keep: "metadata" }
  | {
      readonly keep: "parts";
      readonly parts: readonly (readonly string[])[];
      readonly labels?: readonly string[];
    };

const identity = ["name", "namespace", "uid", "resourceVersion", "deletionTimestamp", "labels"];

export function project(object: KubeObject, projection: Projection): KubeObject {
  switch (projection.keep) {
    case "all":
      return object;
    case "metadata": {
      // They say who wrote what, are larger than all the rest, and nobody asks for them here.
      const { managedFields: _owners, ...metadata } = object.metadata;
      return { apiVersion: object.apiVersion, kind: object.kind, metadata };
    }
    case "parts":
      return projection.parts.reduce<KubeObject>(
        (kept, part) => withPart(kept, object, part),
        withLabels(bare(object), projection.labels),
      );
  }
}

/** Then the server need not send the rest. */
export function isAllInMetadata(projection: Projection): boolean {
  if (projection.keep === "parts") return projection.parts.every(([first]) => first === "metadata");
  return projection.keep === "metadata";
}

/** Whether two states of an object are the same to whoever declared the projection: a version alone is no change. */
export function isSame(before: KubeObject, after: KubeObject): boolean {
  return isEqual(withoutVersion(before), withoutVersion(after));
}

function bare({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const kept = Object.fromEntries(
    identity.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]])),
  );
  return { apiVersion, kind, metadata: kept as KubeObject["metadata"] };
}

function withLabels(object: KubeObject, begins: readonly string[] | undefined): KubeObject {
  const { labels } = object.metadata;
  if (labels === undefined || begins === undefined) return object;
  const kept = Object.entries(labels).filter(([key]) => begins.some((begin) => key.startsWith(begin)));
  return { ...object, metadata: { ...object.metadata, labels: Object.fromEntries(kept) } };
}

function withPart(kept: JsonMap, from: JsonMap, [key, ...rest]: readonly string[]): KubeObject {
  const value = key === undefined ? undefined : from[key];
  if (key === undefined || value === undefined) return kept as KubeObject;
  if (rest.length === 0 || !isMap(value)) return { ...kept, [key]: value } as KubeObject;
  const inner = kept[key];
  return { ...kept, [key]: withPart(isMap(inner) ? inner : {}, value, rest) } as KubeObject;
}

function withoutVersion(object: KubeObject): Json {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function isEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((one, at) => isEqual(one as Json, right[at] as Json))
    );
  }
  if (!isMap(left) || !isMap(right)) return false;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => isEqual(left[key], right[key]));
}
