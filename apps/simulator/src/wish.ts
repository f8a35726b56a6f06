// What an actor wants to be true of an object, and the smallest patch that makes it true.

import { entriesOf, equalJson, isMap, type Json, type JsonMap, type KubeObject, member } from "@virt/engine";

/** `event` is told when the wish has led to a write: one that is fulfilled already is silent. `key` is remembered once it is fulfilled. */
export type Wish = { readonly manager: string; readonly event?: string; readonly key?: string } & (
  | { readonly kind: "create"; readonly object: KubeObject }
  | { readonly kind: "set"; readonly object: KubeObject; readonly fields: JsonMap; readonly isStatus?: boolean }
  | { readonly kind: "delete"; readonly object: KubeObject }
);

/** The merge patch from what is there to what is wanted; undefined if nothing differs. Null takes a member away. */
export function patchFor(live: Json | undefined, wanted: JsonMap): JsonMap | undefined {
  const changes = entriesOf(wanted).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
    const present = member(live, key);
    if (value === null) return present === undefined || present === null ? [] : [[key, null]];
    if (!isMap(value) || !isMap(present)) return equalJson(present, value) ? [] : [[key, value]];
    const inner = patchFor(present, value);
    return inner === undefined ? [] : [[key, inner]];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
