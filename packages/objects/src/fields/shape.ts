// The merge rules of a schema, and the leaf fields of an object.

import { entriesOf, isList, isMap, type Json, type JsonMap, member } from "../json/json.ts";
import { oncePerPair } from "../memoize.ts";
import { fieldElement, keyElement, type Path, valueElement } from "./path.ts";

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
