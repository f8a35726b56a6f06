// Leaves out of an object what the served CRD does not know: server-side apply refuses unknown fields.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import { at, entriesOf, isList, isMap, member, writePointer } from "@virt/engine";

export type Known = {
  readonly object: KubeObject;
  /** Pointers to what was left out. */
  readonly leftOut: readonly string[];
};

/** `schema` is the openAPIV3Schema of the object's version. A map of which nothing is left is left out as well. */
export function keepKnown(object: KubeObject, schema: JsonMap): Known {
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

// Undefined: nothing of it is known.
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

// What was empty before says something, such as `spec: {}`.
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
