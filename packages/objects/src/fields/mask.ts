// Masks of fields that the operator must not manage, as the ignore-fields annotation lists them.

import type { KubeObject } from "@virt/api";
import { utf8Length } from "../encoding/text.ts";
import { entriesOf, isList, isMap, type Json, type JsonMap, parseJson } from "../json/json.ts";
import { isOverridable } from "../patch/patch-text.ts";
import { type FieldSet, fieldSet } from "./field-set.ts";
import {
  fieldElement,
  keyElement,
  keysOf,
  type Path,
  type Pointer,
  readPointer,
  type Shape,
  type ShapeOf,
  segmentOf,
  valueAt,
  valueElement,
  withKeys,
} from "./path.ts";

/** An object without its masked fields, and the paths of those fields. */
export type MaskedObject = {
  readonly object: KubeObject;
  readonly released: readonly Path[]; // the removed fields, none below another
};

/** Ignores pointers without a match. A number is an index into the original list. */
export function maskFields(object: KubeObject, pointers: readonly Pointer[], shapeOf: ShapeOf): MaskedObject {
  const whole: PointedValue = { value: object, path: [], names: [] };
  const found = pointers.flatMap((pointer) => {
    const path = resolve(whole, pointer, shapeOf);
    return path === undefined ? [] : [path];
  });
  const released = found.filter((path, at) => !isCovered(path, at, found));
  return { object: leaveOut(object, released), released };
}

/** Reports whether the pointer matches a field of the object. */
export function isPointedAt(object: KubeObject, pointer: Pointer, shapeOf: ShapeOf): boolean {
  return resolve({ value: object, path: [], names: [] }, pointer, shapeOf) !== undefined;
}

function isCovered(path: Path, at: number, found: readonly Path[]): boolean {
  return found.some((other, place) => {
    const isAbove = other.every((element, depth) => element === path[depth]);
    return place !== at && isAbove && (other.length < path.length || place < at);
  });
}

type PointedValue = { readonly value: Json | undefined; readonly path: Path; readonly names: readonly string[] };

// Returns the path of the whole value if the pointer leads into an atomic value.
function resolve(place: PointedValue, [segment, ...rest]: Pointer, shapeOf: ShapeOf): Path | undefined {
  const shape = shapeOf(place.names);
  if (place.value === undefined) return undefined;
  if (segment === undefined || isAtomic(place.value, shape)) return place.path;
  const below = step(place, segment, shape);
  if (below === undefined) return undefined;
  return isKey(rest, shape) ? below.path : resolve(below, rest, shapeOf);
}

// Reports whether the field is the key of a list element. Without its key, it would be a different element.
function isKey([segment]: Pointer, shape: Shape | undefined): boolean {
  return shape?.kind === "map" && segment !== undefined && shape.keys.includes(segment);
}

function step(
  { value, path, names }: PointedValue,
  segment: string,
  shape: Shape | undefined,
): PointedValue | undefined {
  const element = isList(value) ? listElement(value, segment, shape) : fieldElement(segment);
  if (element === undefined) return undefined;
  const name = isList(value) ? "[]" : segment;
  return { value: valueAt(value, [element]), path: [...path, element], names: [...names, name] };
}

function isAtomic(value: Json, shape: Shape | undefined): boolean {
  if (isList(value)) return shape === undefined || shape.kind === "atomic";
  return isMap(value) && shape?.kind === "atomic";
}

function listElement(list: readonly Json[], segment: string, shape: Shape | undefined): string | undefined {
  const name = (value: Json) => (shape?.kind === "map" ? keyElement(keysOf(value, shape.keys)) : valueElement(value));
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(segment)) return list.map(name).find((element) => segmentOf(element) === segment);
  const value = list[Number(segment)];
  return value === undefined ? undefined : name(value);
}

/** Keeps top-level members such as `spec` even if they become empty, because the server may require them. */
export function leaveOut(object: KubeObject, paths: readonly Path[]): KubeObject {
  if (paths.length === 0) return object;
  const set = fieldSet(paths);
  const parts = entriesOf(object).map(([key, value]) => {
    const below = set.below.get(fieldElement(key));
    return [key, below === undefined ? value : (rest(value, below) ?? {})] as const;
  });
  return { ...object, ...Object.fromEntries(parts) };
}

function rest(value: Json, left: FieldSet): Json | undefined {
  if (left.isOwned) return undefined;
  if (isMap(value)) return restOfMap(entriesOf(value), left);
  return isList(value) ? restOfList(value, left) : value;
}

function restOfMap(entries: readonly (readonly [string, Json])[], left: FieldSet): Json | undefined {
  const kept = entries.flatMap(([key, value]) => {
    const below = left.below.get(fieldElement(key));
    const part = below === undefined ? value : rest(value, below);
    return part === undefined ? [] : [[key, part] as const];
  });
  return kept.length === 0 && entries.length > 0 ? undefined : Object.fromEntries(kept);
}

function restOfList(list: readonly Json[], left: FieldSet): Json | undefined {
  const named = new Map([...left.below].map(([element, below]) => [valueAt(list, [element]), { element, below }]));
  const kept = list.flatMap((value) => {
    const found = named.get(value);
    const part = found === undefined ? value : rest(value, found.below);
    return part === undefined ? [] : [found === undefined ? part : withKeys(found.element, part)];
  });
  return kept.length === 0 && list.length > 0 ? undefined : kept;
}

/** Keeps the given fields, the identity of the object, and the keys of list elements. */
export function keepOnly(object: KubeObject, fields: FieldSet): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  const kept = membersIn(object, fields);
  const identity = { name, ...(namespace === undefined ? {} : { namespace }) };
  const rest = isMap(kept["metadata"]) ? kept["metadata"] : {};
  return { ...kept, apiVersion, kind, metadata: { ...rest, ...identity } };
}

function part(value: Json, { below }: FieldSet): Json {
  if (below.size === 0) return value;
  if (isMap(value)) return membersIn(value, { isOwned: false, below });
  return [...below].flatMap(([element, inner]) => {
    const each = valueAt(value, [element]);
    return each === undefined ? [] : [withKeys(element, part(each, inner))];
  });
}

function membersIn(map: JsonMap, { below }: FieldSet): JsonMap {
  const entries = [...below].flatMap(([element, inner]) => {
    const value = valueAt(map, [element]);
    return value === undefined ? [] : [[element.slice(2), part(value, inner)] as const];
  });
  return Object.fromEntries(entries);
}

/** The pointers of the ignore-fields annotation, or the reason why it is invalid. */
export type IgnoreFields =
  | { readonly kind: "pointers"; readonly pointers: readonly Pointer[] }
  | { readonly kind: "refused"; readonly reason: string };

const limits = { bytes: 16_384, pointers: 100 };

/**
 * Accepts a JSON array or a comma-separated list. Rejects all if one is invalid, because the user intended all of them.
 */
export function readIgnoreFields(annotation: string): IgnoreFields {
  const bytes = utf8Length(annotation);
  if (bytes > limits.bytes) return exceeded("bytes", bytes, limits.bytes);
  const texts = annotation.trimStart().startsWith("[") ? fromArray(annotation) : fromList(annotation);
  if (texts === undefined) return refused("not a JSON array of strings");
  if (texts.length > limits.pointers) return exceeded("pointers", texts.length, limits.pointers);
  const read = texts.map(readOne);
  const bad = read.find((each) => typeof each === "string");
  return bad === undefined
    ? { kind: "pointers", pointers: read.filter((each) => typeof each !== "string") }
    : refused(bad);
}

function readOne(text: string): Pointer | string {
  const read = readPointer(text);
  if (read.kind === "no-slash" || text === "") return `JSON pointer must start with /: ${text}`;
  if (read.kind === "bad-escape") return `pointer "${text}": invalid escape`;
  return isOverridable(read.pointer) ? read.pointer : `pointer "${text}" is forbidden`;
}

function refused(reason: string): IgnoreFields {
  return { kind: "refused", reason };
}

function exceeded(limit: string, actual: number, most: number): IgnoreFields {
  return refused(`ignore-fields exceeds ${limit}: ${actual} > ${most}`);
}

function fromList(text: string): readonly string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function fromArray(text: string): readonly string[] | undefined {
  const value = parseJson(text);
  return isList(value) && value.every((each) => typeof each === "string") ? value : undefined;
}
