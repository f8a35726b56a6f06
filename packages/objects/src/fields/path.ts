// Paths as in managedFields, which identify list elements by key, JSON pointers (RFC 6901), which do not, and the leaf
// paths of an object under the merge rules of its schema.

import {
  asList,
  canonicalJson,
  entriesOf,
  equalJson,
  isList,
  isMap,
  type Json,
  type JsonMap,
  member,
  oncePerPair,
  parseJson,
} from "../json/json.ts";

/**
 * A path of elements: `f:spec` is a field, `k:{"name":"a"}` a list element by keys, `v:"x"` a set element, and `i:0` an
 * element by index. The JSON is canonical, so equal elements are equal strings.
 */
export type Path = readonly string[];

export const fieldElement = (name: string): string => `f:${name}`;
export const keyElement = (keys: JsonMap): string => `k:${canonicalJson(keys)}`;
export const valueElement = (value: Json): string => `v:${canonicalJson(value)}`;

/** Returns the path of nested members. Lists need `keyElement` or `valueElement`. */
export function fieldPath(...names: readonly string[]): Path {
  return names.map(fieldElement);
}

/** Returns the canonical form of an element, or undefined if invalid. */
export function readElement(text: string): string | undefined {
  const content = text.slice(2);
  if (text.startsWith("f:")) return text;
  if (text.startsWith("i:")) return /^[0-9]{1,9}$/.test(content) ? text : undefined;
  const value = parseJson(content);
  if (text.startsWith("k:")) return isMap(value) ? keyElement(value) : undefined;
  return text.startsWith("v:") && value !== undefined ? valueElement(value) : undefined;
}

/** Writes a JSON pointer with `<key>=<value>` for list elements and `=<value>` for set elements. */
export function writePath(path: Path): string {
  return writePointer(path.map(segmentOf));
}

/** Formats a path for messages. Does not escape dots in names. */
export function writeDotted(path: Path): string {
  return path.map(segmentOf).join(".");
}

export function segmentOf(element: string): string {
  const content = element.slice(2);
  if (element.startsWith("v:")) return `=${plain(parseJson(content) ?? null)}`;
  if (!element.startsWith("k:")) return content;
  return entriesOf(asKeys(content))
    .map(([key, value]) => `${key}=${plain(value)}`)
    .join(",");
}

const plain = (value: Json): string => (typeof value === "string" ? value : canonicalJson(value));

/** Returns the value at the path, or undefined if any part of it is missing. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(step, value);
}

function step(value: Json | undefined, element: string): Json | undefined {
  const content = element.slice(2);
  if (element.startsWith("f:")) return member(value, content);
  if (element.startsWith("i:")) return asList(value)[Number(content)];
  if (!isList(value)) return undefined;
  const wanted = parseJson(content);
  if (element.startsWith("v:")) return value.find((each) => equalJson(each, wanted));
  return isMap(wanted) ? value.find((each) => hasKeys(each, wanted)) : undefined;
}

export function withKeys(element: string, part: Json): Json {
  return element.startsWith("k:") && isMap(part) ? { ...part, ...asKeys(element.slice(2)) } : part;
}

function hasKeys(element: Json, keys: JsonMap): boolean {
  return entriesOf(keys).every(([key, value]) => equalJson(member(element, key), value));
}

function asKeys(text: string): JsonMap {
  const keys = parseJson(text);
  return isMap(keys) ? keys : {};
}

/** The unescaped segments of a JSON pointer. An empty list means the whole document. */
export type Pointer = readonly string[];

/** A parsed JSON pointer, or the reason why the string is not one. */
export type PointerText =
  | { readonly kind: "pointer"; readonly pointer: Pointer }
  | { readonly kind: "no-slash" }
  | { readonly kind: "bad-escape" }; // a ~ that is neither ~0 nor ~1

/** Parses RFC 6901. The empty string is the whole document. */
export function readPointer(text: string): PointerText {
  if (text === "") return { kind: "pointer", pointer: [] };
  if (!text.startsWith("/")) return { kind: "no-slash" };
  if (/~(?![01])/.test(text)) return { kind: "bad-escape" };
  return { kind: "pointer", pointer: text.slice(1).split("/").map(unescape) };
}

/** Returns the JSON pointer with its escapes. The empty pointer is an empty string. */
export function writePointer(pointer: Pointer): string {
  return pointer.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

// Unescapes ~0 last, because ~01 means ~1 and not a slash.
function unescape(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** How server-side apply merges a list or map. */
export type Shape =
  | { readonly kind: "atomic" } // owned as a whole
  | { readonly kind: "map"; readonly keys: readonly string[] } // a list whose elements are identified by these keys
  | { readonly kind: "set" }; // a list whose elements are identified by their value

/**
 * Returns the merge rule for a path, in which `[]` stands for list elements. Undefined means that lists are atomic and
 * maps are merged by field.
 */
export type ShapeOf = (path: readonly string[]) => Shape | undefined;

/** The merge rules for free-form fields, and for objects without a schema. */
export const noSchema: ShapeOf = () => undefined;

/** Returns atomic values, empty maps and scalars. Excludes the identity of the object, which has no owner. */
export const leafPaths: (object: JsonMap, shapeOf: ShapeOf) => readonly Path[] = oncePerPair((object, shapeOf) =>
  leavesOfMap(withoutIdentity(object), { path: [], names: [] }, shapeOf),
);

type LeafPlace = { readonly path: Path; readonly names: readonly string[] };

function leavesAt(value: Json, place: LeafPlace, shapeOf: ShapeOf): readonly Path[] {
  const shape = shapeOf(place.names);
  if (isList(value) && shape !== undefined) return leavesOfList(value, place, { shape, shapeOf });
  const isMerged = isMap(value) && shape?.kind !== "atomic" && entriesOf(value).length > 0;
  return isMerged ? leavesOfMap(value, place, shapeOf) : [place.path];
}

type ListShape = { readonly shape: Shape; readonly shapeOf: ShapeOf };

function leavesOfList(
  list: readonly Json[],
  { path, names }: LeafPlace,
  { shape, shapeOf }: ListShape,
): readonly Path[] {
  switch (shape.kind) {
    case "atomic":
      return [path];
    case "set":
      return list.map((each) => [...path, valueElement(each)]);
    case "map":
      return list.flatMap((each) => {
        const element = keyElement(keysOf(each, shape.keys));
        return leavesAt(each, { path: [...path, element], names: [...names, "[]"] }, shapeOf);
      });
  }
}

function leavesOfMap(map: JsonMap, { path, names }: LeafPlace, shapeOf: ShapeOf): readonly Path[] {
  return entriesOf(map).flatMap(([key, value]) =>
    leavesAt(value, { path: [...path, fieldElement(key)], names: [...names, key] }, shapeOf),
  );
}

export function keysOf(element: Json, keys: readonly string[]): JsonMap {
  return Object.fromEntries(keys.map((key) => [key, member(element, key)]));
}

const identity: ReadonlySet<string> = new Set(["apiVersion", "kind"]);
const identityInMetadata: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "selfLink",
]);

function withoutIdentity(object: JsonMap): JsonMap {
  const entries = entriesOf(object).filter(([key]) => !identity.has(key));
  return Object.fromEntries(
    entries.flatMap(([key, value]) => {
      if (key !== "metadata" || !isMap(value)) return [[key, value]];
      const rest = entriesOf(value).filter(([name]) => !identityInMetadata.has(name));
      return rest.length > 0 ? [[key, Object.fromEntries(rest)]] : [];
    }),
  );
}
