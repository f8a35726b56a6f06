// The objects that the catalog's assets make up, and where they lie in this cluster.

import type { Ref } from "@virt/api";
import type { Asset } from "../asset.ts";
import { nameOf } from "./already-provided.ts";
import type { ManagedObject } from "./evaluate-object.ts";
import { type Places, placed } from "./place.ts";

/** In the order of work: the HyperConverged first, then by order and name. */
export function managedObjects(assets: readonly Asset[], places: Places): readonly ManagedObject[] {
  const objects = new Map<string, { readonly ref: Ref; readonly assets: Asset[] }>();
  for (const asset of assets.toSorted(byOrder)) {
    const ref = placed(asset.target, places);
    const key = nameOf(ref);
    const known = objects.get(key);
    if (known === undefined) objects.set(key, { ref, assets: [asset] });
    else known.assets.push(asset);
  }
  return [...objects.values()];
}

function byOrder(left: Asset, right: Asset): number {
  return left.order - right.order || (left.name < right.name ? -1 : 1);
}
