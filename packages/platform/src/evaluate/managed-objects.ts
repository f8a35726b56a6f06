import type { KubeObject, Ref } from "@virt/api";
import { kubectlArguments } from "@virt/objects";
import type { Asset, AssetTarget, PlacedRef } from "../asset.ts";
import type { ManagedObject } from "./evaluate-object.ts";

/** Returns the objects in reconcile order: ascending order, ties broken by name. */
export function managedObjects(assets: readonly Asset[], places: Places): readonly ManagedObject[] {
  const objects = new Map<string, { readonly ref: Ref; readonly assets: Asset[] }>();
  for (const asset of assets.toSorted(byOrder)) {
    const ref = placed(asset.target, places);
    const key = objectKey(ref);
    const known = objects.get(key);
    if (known === undefined) objects.set(key, { ref, assets: [asset] });
    else known.assets.push(asset);
  }
  return [...objects.values()];
}

function byOrder(left: Asset, right: Asset): number {
  return left.order - right.order || (left.name < right.name ? -1 : 1);
}

/** The values for `$hco`, `$operator` and the version of the HyperConverged. */
export type Places = { readonly hcoNamespace: string; readonly hcoApiVersion: string; readonly ownNamespace: string };

/** Returns these values for the given HyperConverged. */
export function placesIn({ apiVersion, metadata }: KubeObject, { ownNamespace }: Pick<Places, "ownNamespace">): Places {
  return { hcoNamespace: metadata.namespace ?? "", hcoApiVersion: apiVersion, ownNamespace };
}

/** Resolves the namespace of a target. Targets of kind HyperConverged use the served version. */
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

type Named = Omit<Ref, "apiVersion">;

/** Returns Kind/namespace/name, for work queues, maps and event actions. Cluster-scoped: the namespace is empty. */
export function objectKey({ kind, namespace = "", name }: Named): string {
  return `${kind}/${namespace}/${name}`;
}

/** Returns `Kind name` or `Kind namespace/name`, for messages. */
export function objectName({ kind, namespace = "", name }: Named): string {
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** Returns the kubectl command that removes the annotation. `key` includes its prefix. */
export function removeAnnotationCommand(ref: Named, key: string): string {
  return `kubectl annotate ${kubectlArguments(ref)} ${key}-`;
}
