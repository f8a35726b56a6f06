// Takes fields out of an object that is to be applied, and with them the maps and lists that this empties.

import type { KubeObject } from "./cluster.ts";
import { type FieldSet, fieldSet } from "./field-set.ts";
import { entriesOf, isList, isMap, type Json } from "./json.ts";
import { fieldElement, type Path, valueAt, withKeys } from "./path.ts";

/** Parts of the object such as `spec` stay, if need be empty: a server may require them. */
export function leaveOut(object: KubeObject, paths: readonly Path[]): KubeObject {
  if (paths.length === 0) return object;
  const set = fieldSet(paths);
  const parts = entriesOf(object).map(([key, value]) => {
    const below = set.below.get(fieldElement(key));
    return [key, below === undefined ? value : (rest(value, below) ?? {})] as const;
  });
  return { ...object, ...Object.fromEntries(parts) };
}

// Undefined if nothing is left of it.
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
