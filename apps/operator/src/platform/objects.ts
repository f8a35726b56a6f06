// The objects that the catalog's assets make up, and where they lie in this cluster.

import type { Ref } from "@virt/api";
import { type Asset, type ManagedObject, type Places, placed } from "@virt/platform";

/** In the order of work: the HyperConverged first, then by order and name. */
export function managedObjects(assets: readonly Asset[], places: Places): readonly ManagedObject[] {
  const objects = new Map<string, { readonly ref: Ref; readonly assets: Asset[] }>();
  for (const asset of assets.toSorted(byOrder)) {
    const ref = placed(asset.target, places);
    const key = keyOf(ref);
    const known = objects.get(key);
    if (known === undefined) objects.set(key, { ref, assets: [asset] });
    else known.assets.push(asset);
  }
  return [...objects.values()];
}

function byOrder(left: Asset, right: Asset): number {
  return left.order - right.order || (left.name < right.name ? -1 : 1);
}

/** Kind/namespace/name, as users see it in events. */
export function keyOf({ kind, namespace = "", name }: Ref): string {
  return `${kind}/${namespace}/${name}`;
}

export function isHco({ kind }: Pick<Ref, "kind">): boolean {
  return kind === "HyperConverged";
}
