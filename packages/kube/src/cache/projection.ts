// The parts of an object that a cache keeps: all of it, its metadata, or declared parts.

import {
  exceedsBytes,
  isMap,
  type Json,
  type JsonMap,
  type KubeObject,
  overLimit,
  type Projection,
  type ProjectionMember,
} from "@virt/objects";

type Key = ProjectionMember[number];

const identity = ["name", "namespace", "uid", "resourceVersion", "deletionTimestamp"];

/** Returns the parts of an object that a cache keeps. Keeping everything returns the same object. */
export function projectObject(object: KubeObject, projection: Projection): KubeObject {
  switch (projection.keep) {
    case "all":
      return object;
    case "metadata": {
      // managedFields are larger than all other metadata, and readers of metadata do not need them.
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

/** Reports whether metadata is sufficient, so that the server does not have to send the rest. */
export function isAllInMetadata(projection: Projection): boolean {
  if (projection.keep === "parts") return projection.parts.every(([first]) => first === "metadata");
  return projection.keep === "metadata";
}

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

function isOfOwners([first = "metadata", second = "managedFields"]: ProjectionMember): boolean {
  return isLike("metadata", first) && isLike("managedFields", second);
}

/** Reports whether the projected parts of two states are equal. Ignores a new resourceVersion alone. */
export function isSameProjection(before: KubeObject, after: KubeObject): boolean {
  return isEqual(withoutVersion(before), withoutVersion(after));
}

/** Returns the approximate memory of a value in bytes. */
export function projectedBytes(value: Json | undefined): number {
  if (typeof value === "string") return 16 + value.length;
  if (typeof value !== "object" || value === null) return 8;
  let bytes = 32;
  if (Array.isArray(value)) {
    for (const one of value as readonly Json[]) bytes += 8 + projectedBytes(one);
    return bytes;
  }
  const map = value as JsonMap;
  for (const key of Object.keys(map)) bytes += 24 + key.length + projectedBytes(map[key]);
  return bytes;
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

/** Keeps only the values that the paths lead to, without empty maps. */
function pick(from: JsonMap, members: readonly ProjectionMember[], depth = 0): JsonMap | undefined {
  const kept: [string, Json][] = [];
  for (const name of Object.keys(from)) {
    const leading = leadingTo(name, members, depth);
    const value = leading === undefined ? undefined : pickMember(from[name], leading, depth + 1);
    if (value !== undefined) kept.push([name, value]);
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function pickMember(value: Json | undefined, members: readonly ProjectionMember[], depth: number): Json | undefined {
  if (members.some(({ length }) => length === depth)) return value;
  const limit = limitOf(members, depth);
  if (limit !== undefined) return exceedsBytes(value, limit) ? overLimit : value;
  if (Array.isArray(value)) return pickElements(value as readonly Json[], members, depth);
  return isMap(value) ? pick(value, members, depth) : undefined;
}

function pickElements(
  elements: readonly Json[],
  members: readonly ProjectionMember[],
  depth: number,
): Json[] | undefined {
  const kept: Json[] = [];
  for (const element of elements) {
    const leading = isMap(element) ? members.filter((keys) => isAmong(element, keys[depth])) : [];
    const value = leading.length === 0 ? undefined : pickMember(element, leading, depth + 1);
    if (value !== undefined) kept.push(value);
  }
  return kept.length === 0 ? undefined : kept;
}

function limitOf(members: readonly ProjectionMember[], depth: number): number | undefined {
  for (const keys of members) {
    const key = keys[depth];
    if (typeof key === "object" && "atMost" in key) return key.atMost;
  }
  return undefined;
}

function isAmong(element: JsonMap, key: Key | undefined): boolean {
  if (typeof key !== "object" || !("among" in key)) return false;
  const text = element[key.key];
  return typeof text === "string" && key.among.includes(text);
}

// Allocates memory only for a match, because this runs for hundreds of labels on thousands of nodes.
function leadingTo(
  name: string,
  members: readonly ProjectionMember[],
  depth: number,
): readonly ProjectionMember[] | undefined {
  let leading: ProjectionMember[] | undefined;
  for (const keys of members) {
    if (!isLike(name, keys[depth])) continue;
    leading ??= [];
    leading.push(keys);
  }
  return leading;
}

function isLike(name: string, key: Key | undefined): boolean {
  if (key === undefined || typeof key === "string") return name === key;
  if ("begins" in key) return name.startsWith(key.begins);
  if ("contains" in key) return name.includes(key.contains);
  return "beginsNot" in key && !key.beginsNot.some((start) => name.startsWith(start));
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

/** The maximum number of known values. When it is reached, all are forgotten. Objects keep the values that they already share. */
const mostKnown = 500;
/** Longer values are rarely equal, and comparing them costs more than it saves. */
const longest = 500;

/** Stores equal values of many objects once. Thousands of VMs come from a few templates and are mostly equal. */
export class SharedValues {
  readonly #texts = new Map<string, string>();
  readonly #values = new Map<string, Json>();

  /** Returns an equal object that shares its parts with earlier objects. */
  shareObject({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject {
    return {
      apiVersion: this.#shareText(apiVersion),
      kind: this.#shareText(kind),
      metadata: this.#shareMembers(metadata),
      ...this.#shareMembers(rest),
    } as KubeObject;
  }

  #share(value: Json): Json {
    if (typeof value === "string") return this.#shareText(value);
    if (typeof value !== "object" || value === null) return value;
    const text = JSON.stringify(value);
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const shared = Array.isArray(value)
      ? value.map((each: Json) => this.#share(each))
      : this.#shareMembers(value as JsonMap);
    return remember(this.#values, text, shared);
  }

  #shareMembers(map: JsonMap): JsonMap {
    return Object.fromEntries(
      Object.entries(map).flatMap(([name, value]) => (value === undefined ? [] : [[name, this.#share(value)]])),
    );
  }

  #shareText(text: string): string {
    return this.#texts.get(text) ?? remember(this.#texts, text, text);
  }
}

function remember<T>(known: Map<string, T>, text: string, value: T): T {
  if (text.length > longest) return value;
  if (known.size >= mostKnown) known.clear();
  known.set(text, value);
  return value;
}
