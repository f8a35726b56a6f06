// Where a field is: a path of elements as managedFields writes them, which tell a keyed list element from a map member, and a JSON
// pointer (RFC 6901), which does not.

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
  parseJson,
} from "../json/json.ts";

/**
 * `f:spec` is a member, `k:{"name":"a"}` the list element with these keys, `v:"x"` the element of a set, `i:0` an element by index.
 * The JSON in it is canonical, so that equal elements are equal texts.
 */
export type Path = readonly string[];

export const fieldElement = (name: string): string => `f:${name}`;
export const keyElement = (keys: JsonMap): string => `k:${canonicalJson(keys)}`;
export const valueElement = (value: Json): string => `v:${canonicalJson(value)}`;

/** The path of member names, such as `spec.mode` split at its dots. */
export function fieldPath(...names: readonly string[]): Path {
  return names.map(fieldElement);
}

/** An element as the server writes it, in canonical form; undefined if it is none. */
export function readElement(text: string): string | undefined {
  const content = text.slice(2);
  if (text.startsWith("f:")) return text;
  if (text.startsWith("i:")) return /^[0-9]{1,9}$/.test(content) ? text : undefined;
  const value = parseJson(content);
  if (text.startsWith("k:")) return isMap(value) ? keyElement(value) : undefined;
  return text.startsWith("v:") && value !== undefined ? valueElement(value) : undefined;
}

/** RFC 6901; a list element is `<key>=<value>`, an element of a set `=<value>`. */
export function writePath(path: Path): string {
  return writePointer(path.map(segmentOf));
}

/** For people, as in `spec.mode`. Names with dots in them are not marked. */
export function writeDotted(path: Path): string {
  return path.map(segmentOf).join(".");
}

/** An element as a segment of a pointer, not escaped. */
export function segmentOf(element: string): string {
  const content = element.slice(2);
  if (element.startsWith("v:")) return `=${plain(parseJson(content) ?? null)}`;
  if (!element.startsWith("k:")) return content;
  return entriesOf(asKeys(content))
    .map(([key, value]) => `${key}=${plain(value)}`)
    .join(",");
}

const plain = (value: Json): string => (typeof value === "string" ? value : canonicalJson(value));

/** What the object has there, if it has. */
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

/** A part of a list element, with the keys by which it is known. */
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

/** The segments, unescaped. None of them: the whole document. */
export type Pointer = readonly string[];

/** A pointer that was read, or what is wrong with its text. */
export type PointerText =
  | { readonly kind: "pointer"; readonly pointer: Pointer }
  | { readonly kind: "no-slash" } // it is not empty and does not start with one
  | { readonly kind: "bad-escape" }; // a ~ that is neither ~0 nor ~1

/** Reads RFC 6901. The empty text is the whole document. */
export function readPointer(text: string): PointerText {
  if (text === "") return { kind: "pointer", pointer: [] };
  if (!text.startsWith("/")) return { kind: "no-slash" };
  if (/~(?![01])/.test(text)) return { kind: "bad-escape" };
  return { kind: "pointer", pointer: text.slice(1).split("/").map(unescape) };
}

/** Writes RFC 6901. */
export function writePointer(pointer: Pointer): string {
  return pointer.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

// ~01 is ~1 and not a slash, so the tilde comes last.
function unescape(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}
