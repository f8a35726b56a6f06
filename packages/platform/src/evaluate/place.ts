// Where an asset's target lies in this cluster.

import type { Ref } from "@virt/api";
import type { AssetTarget } from "../asset.ts";
import type { PlacedRef } from "../reads.ts";

export type Places = { readonly hcoNamespace: string; readonly hcoApiVersion: string; readonly ownNamespace: string };

/** Targets on the HyperConverged are written in the version that is served. */
export function placed(
  target: AssetTarget | Ref | PlacedRef,
  { hcoNamespace, hcoApiVersion, ownNamespace }: Places,
): Ref {
  const { kind, name, namespace } = target;
  const apiVersion = kind === "HyperConverged" ? hcoApiVersion : target.apiVersion;
  if (namespace === undefined) return { apiVersion, kind, name };
  const known: Readonly<Record<string, string>> = { $hco: hcoNamespace, $operator: ownNamespace };
  return { apiVersion, kind, name, namespace: known[namespace] ?? namespace };
}
