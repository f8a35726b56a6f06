// Every known hostile patch for an object with a given field.

import { failing, forbidden, type HostilePatch, operationsAt, patchText } from "./hostile-patch.ts";
import { hostileLoads } from "./loads.ts";
import { hostilePlaces } from "./places.ts";
import { hostileTexts } from "./texts.ts";

export type { HostilePatch } from "./hostile-patch.ts";

/** `field` is the pointer of a scalar field under /spec. None of the patches may change anything. */
export function hostilePatches(field: string): readonly HostilePatch[] {
  return [...hostilePlaces(field), ...hostileTexts(), ...hostileLoads(field), ...shapeless(field), ...halfway(field)];
}

const another = /^patch changes the identity of the object$/;

/** Patches that stay within the allowed roots but replace the object's structure. */
function shapeless(field: string): readonly HostilePatch[] {
  const patches: readonly (readonly object[])[] = [
    [{ op: "remove", path: "/spec" }],
    [{ op: "add", path: "/data", value: {} }],
    [{ op: "move", from: "/spec", path: "/data" }],
    [{ op: "copy", from: "/spec", path: "/data" }],
    [{ op: "copy", from: field, path: "/data" }],
  ];
  return patches.map((operations) => ({ tries: "another shape", text: patchText(...operations), refusal: another }));
}

/** A valid operation before an invalid one must not be applied. */
function halfway(field: string): readonly HostilePatch[] {
  const good = { op: "replace", path: field, value: "hostile" };
  const bad = [...operationsAt("/metadata/name", field), ...operationsAt("/spec/not-there/at-all", field)];
  return bad.map((operation, at) => ({
    tries: "half of it",
    text: patchText(good, operation),
    refusal: at < 8 ? forbidden : failing,
  }));
}
