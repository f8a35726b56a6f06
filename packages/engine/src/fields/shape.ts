// How the API server merges a part of an object, as the served schema says, and which leaves an object has by it.

import { entriesOf, isList, isMap, type Json, type JsonMap, member } from "../json/json.ts";
import { oncePerPair } from "../memoize.ts";
import { fieldElement, keyElement, type Path, valueElement } from "./path.ts";

/** How the server merges a list or map under server-side apply. */
export type Shape =
  | { readonly kind: "atomic" } // owned as a whole
  | { readonly kind: "map"; readonly keys: readonly string[] } // a list whose elements are known by these keys
  | { readonly kind: "set" }; // a list whose elements are known by their value

/**
 * What the schema says of a list or map at a path of member names, in which `[]` stands for the elements of a list.
 * Undefined is the default: a list is atomic, a map is merged member by member.
 */
export type ShapeOf = (path: readonly string[]) => Shape | undefined;

/** For an object of unknown schema, and for free-form parts. */
export const noSchema: ShapeOf = () => undefined;

/** What is atomic, empty maps and plain values are leaves. What identifies the object is none: nobody owns it. */
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

/** Those of its keys that an element has. */
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
