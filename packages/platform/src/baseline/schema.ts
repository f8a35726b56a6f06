// Reads list types, defaults and known fields from the served schema.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import {
  asList,
  asText,
  at,
  entriesOf,
  isList,
  isMap,
  member,
  noSchema,
  oncePer,
  type Path,
  type Pointer,
  type Shape,
  type ShapeOf,
  writePointer,
} from "@virt/objects";

function nodeAt(schema: Json | undefined, names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>((node, name) => {
    if (name === "[]") return member(node, "items");
    return (
      at(node, "properties", name) ??
      (isMap(member(node, "additionalProperties")) ? member(node, "additionalProperties") : undefined)
    );
  }, schema);
}

/** Returns the merge rules in an openAPIV3Schema. */
export const shapeFrom = oncePer(
  (schema: JsonMap): ShapeOf =>
    (names) => {
      const node = nodeAt(schema, names);
      const list = asText(member(node, "x-kubernetes-list-type"));
      if (list === "map")
        return {
          kind: "map",
          keys: asList(member(node, "x-kubernetes-list-map-keys")).flatMap((key) => asText(key) ?? []),
        };
      if (list === "set") return { kind: "set" };
      const isAtomic = list === "atomic" || member(node, "x-kubernetes-map-type") === "atomic";
      return isAtomic ? { kind: "atomic" } : undefined;
    },
);

/** The merge rules of Services, which have no schema in a CRD. */
const service: ReadonlyMap<string, Shape> = new Map([
  ["spec.ports", { kind: "map", keys: ["port", "protocol"] }],
  ["spec.selector", { kind: "atomic" }],
]);

const serviceShape: ShapeOf = (names) => service.get(names.join("."));

/** Returns the merge rules of kinds without a CRD. */
export function builtInShape(kind: string): ShapeOf {
  return kind === "Service" ? serviceShape : noSchema;
}

/** Reports whether the schema declares a field by name. Does not count keys of free-form maps. */
export function declaredIn(schema: JsonMap | undefined): (pointer: Pointer) => boolean {
  return (pointer) =>
    pointer.reduce<Json | undefined>(
      (node, segment) => member(node, "items") ?? at(node, "properties", segment),
      schema,
    ) !== undefined;
}

/** Returns the default from the schema. The server attributes defaults to the manager that created the object. */
export function defaultFrom(schema: JsonMap | undefined): (path: Path) => Json | undefined {
  return (path) =>
    member(
      nodeAt(
        schema,
        path.map((element) => (element.startsWith("f:") ? element.slice(2) : "[]")),
      ),
      "default",
    );
}

/** An object reduced to the fields that the served schema declares. */
export type KnownFields = {
  readonly object: KubeObject;
  readonly leftOut: readonly string[];
};

/** Removes emptied maps, and fields that `schema` does not declare: the openAPIV3Schema of the object's version. */
export function keepKnown(object: KubeObject, schema: JsonMap): KnownFields {
  const leftOut: string[] = [];
  const { apiVersion, kind, metadata, ...rest } = object;
  const known = knownMembers(rest, schema, { names: [], leftOut });
  return { object: { apiVersion, kind, metadata, ...known }, leftOut };
}

type Place = { readonly names: readonly string[]; readonly leftOut: string[] };

function knownMembers(map: JsonMap, schema: Json, { names, leftOut }: Place): JsonMap {
  return Object.fromEntries(
    entriesOf(map).flatMap(([key, value]) => {
      const place = { names: [...names, key], leftOut };
      const below = memberSchema(schema, key);
      if (below === undefined) leftOut.push(writePointer(place.names));
      const kept = below === undefined ? undefined : knownValue(value, below, place);
      return kept === undefined ? [] : [[key, kept]];
    }),
  );
}

function knownValue(value: Json, schema: Json, place: Place): Json | undefined {
  if (isMap(value)) return unlessEmptied(value, knownMembers(value, schema, place));
  const items = member(schema, "items");
  if (!isList(value) || items === undefined) return value;
  const kept = value.map((each, index) => knownValue(each, items, { ...place, names: [...place.names, `${index}`] }));
  return unlessEmptied(
    value,
    kept.filter((each) => each !== undefined),
  );
}

// Keeps values that were already empty, such as `spec: {}`, because they are intentional.
function unlessEmptied<T extends JsonMap | readonly Json[]>(before: T, after: T): T | undefined {
  return Object.keys(after).length === 0 && Object.keys(before).length > 0 ? undefined : after;
}

function memberSchema(schema: Json, key: string): Json | undefined {
  const own = at(schema, "properties", key);
  const others = member(schema, "additionalProperties");
  if (own !== undefined || isMap(others)) return own ?? others;
  const isOpen = others === true || member(schema, preserve) === true;
  return isOpen ? { [preserve]: true } : undefined;
}

const preserve = "x-kubernetes-preserve-unknown-fields";
