// What is kept of an object in memory: all of it, its metadata, or what was declared of it.

import { isMap, type Json, type JsonMap, type KubeObject } from "@virt/engine";

/**
 * Parts are paths of keys, such as `["status", "capacity"]`; identity, labels and deletion are kept beside them. Members are
 * kept alone, not even with a version: for thousands of objects that nobody writes.
 */
export type Projection =
  | { readonly keep: "all" }
  | { readonly keep: "metadata" }
  | { readonly keep: "parts"; readonly parts: readonly (readonly string[])[] }
  | { readonly keep: "members"; readonly members: readonly Member[] };

/** A path of keys, or of what they are like. */
type Member = readonly Key[];
type Key = string | { readonly begins: string } | { readonly contains: string };

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
      return projection.parts.reduce<KubeObject>((kept, part) => withPart(kept, object, part), bare(object));
    case "members": {
      const { apiVersion, kind, ...rest } = object;
      return { apiVersion, kind, ...pick(rest, projection.members) } as KubeObject;
    }
  }
}

/** Then the server need not send the rest. */
export function isAllInMetadata(projection: Projection): boolean {
  if (projection.keep === "parts") return projection.parts.every(([first]) => first === "metadata");
  return projection.keep === "metadata";
}

/** Whether it is kept who owns which field. */
export function keepsOwners(projection: Projection): boolean {
  switch (projection.keep) {
    case "all":
      return true;
    case "metadata":
      return false;
    case "parts":
      return projection.parts.some(isOfOwners);
    case "members":
      return projection.members.some(isOfOwners);
  }
}

function isOfOwners([first = "metadata", second = "managedFields"]: Member): boolean {
  return isLike("metadata", first) && isLike("managedFields", second);
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

function withPart(kept: JsonMap, from: JsonMap, [key, ...rest]: readonly string[]): KubeObject {
  const value = key === undefined ? undefined : from[key];
  if (key === undefined || value === undefined) return kept as KubeObject;
  if (rest.length === 0 || !isMap(value)) return { ...kept, [key]: value } as KubeObject;
  const inner = kept[key];
  return { ...kept, [key]: withPart(isMap(inner) ? inner : {}, value, rest) } as KubeObject;
}

/** Of a map nothing is kept but what a path leads to, and no empty maps on the way. */
function pick(from: JsonMap, members: readonly Member[], depth = 0): JsonMap | undefined {
  const kept: [string, Json][] = [];
  for (const name of Object.keys(from)) {
    const leading = leadingTo(name, members, depth);
    const value = leading === undefined ? undefined : pickMember(from[name], leading, depth + 1);
    if (value !== undefined) kept.push([name, value]);
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function pickMember(value: Json | undefined, members: readonly Member[], depth: number): Json | undefined {
  if (members.some(({ length }) => length === depth)) return value;
  return isMap(value) ? pick(value, members, depth) : undefined;
}

// Asked for hundreds of labels of each of thousands of nodes, so nothing is made where nothing is found.
function leadingTo(name: string, members: readonly Member[], depth: number): readonly Member[] | undefined {
  let leading: Member[] | undefined;
  for (const keys of members) {
    if (!isLike(name, keys[depth])) continue;
    leading ??= [];
    leading.push(keys);
  }
  return leading;
}

function isLike(name: string, key: Key | undefined): boolean {
  if (key === undefined || typeof key === "string") return name === key;
  return "begins" in key ? name.startsWith(key.begins) : name.includes(key.contains);
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
