// Which objects must never be on the list of those to be deleted.

import type { Asset } from "./asset.ts";
import type { Tombstone } from "./tombstone.ts";

const refused: ReadonlySet<string> = new Set([
  "Namespace",
  "CustomResourceDefinition",
  "HyperConverged",
  "PersistentVolume",
  "PersistentVolumeClaim",
]);

/** Data of people is not ours to delete, and what the catalog applies would come back. */
export function tombstoneFaults(tombstones: readonly Tombstone[], assets: readonly Asset[]): readonly string[] {
  return tombstones.flatMap((tombstone) => {
    const { kind, name } = tombstone;
    const missing = (["apiVersion", "kind", "name", "since", "reason"] as const).filter((key) => !tombstone[key]);
    const isRefused = refused.has(kind) || kind.startsWith("VirtualMachine");
    const faults = [
      ...missing.map((key) => `${key} is missing`),
      ...(isRefused ? ["objects of this kind are never deleted"] : []),
      ...(assets.some((asset) => isOf(asset, tombstone)) ? ["the catalog still has it"] : []),
    ];
    return faults.map((fault) => `tombstone ${kind} ${name}: ${fault}`);
  });
}

// A place that is known at run time only may be any.
function isOf({ target }: Asset, { kind, name, namespace }: Tombstone): boolean {
  const isPlace = target.namespace?.startsWith("$") === true || target.namespace === namespace;
  return target.kind === kind && target.name === name && isPlace;
}
