// The part of an object that consists of given fields, with the values it has: what a manager would apply to own just these.

import type { KubeObject } from "./cluster.ts";
import type { FieldSet } from "./field-set.ts";
import { isMap, type Json, type JsonMap } from "./json.ts";
import { valueAt, withKeys } from "./path.ts";

/** With what identifies the object, and list elements with their keys. A field that the object does not have is left out. */
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
