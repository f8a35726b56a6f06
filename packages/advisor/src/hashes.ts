// The hashes by which a spec, a plan or a target is recognized as the same.

import type { Item, KubeObject, PoolDisruption, Ref, Reviewed, Spec } from "@virt/api";
import { compareUtf8, digest, snapshotTargets, targetKey } from "@virt/engine";

/** What a plan is drafted for: action and approval are not part of it. */
export function specHash({ action: _action, approvedPlan: _approved, ...rest }: Spec): string {
  return digest(rest);
}

/** As much of an item as the hash of its plan depends on. */
export type HashedItem = Pick<
  Item,
  "name" | "operation" | "targetRef" | "desiredState" | "managedFields" | "sourceHash"
>;

export type WithLive<T> = T & { readonly live: KubeObject | undefined };

/**
 * What is approved: content, the managed fields it was drafted against, which pools it disturbs, and nothing else. It is made of what
 * the status stores, so that a stored plan can be held against the hash that was approved. A plan that disturbs no pool has the hash
 * that it had before pools counted.
 */
export function planHash(
  profile: string,
  items: readonly HashedItem[],
  disruption: readonly PoolDisruption[] = [],
): string {
  const hashed = items.map(({ name, operation, targetRef, desiredState, managedFields = [], sourceHash = "" }) => ({
    desired: desiredState ?? null,
    source: sourceHash,
    managedFields,
    name,
    operation,
    target: targetKey(targetRef),
  }));
  const disturbed = disruption
    .map(({ pool, class: disruptionClass }) => ({ class: disruptionClass, pool }))
    .toSorted((left, right) => compareUtf8(left.pool, right.pool));
  return digest({ ...(disturbed.length > 0 && { disruption: disturbed }), items: hashed, profile, version: 2 });
}

export function snapshotHash(items: readonly WithLive<Pick<HashedItem, "targetRef" | "managedFields">>[]): string {
  return digest(
    snapshotTargets(items.map(({ targetRef, managedFields = [], live }) => ({ ref: targetRef, managedFields, live }))),
  );
}

/** The target as it is now, in the form in which a review records it. */
export function reviewedNow(
  { targetRef, managedFields }: { readonly targetRef: Ref; readonly managedFields?: readonly string[] },
  live: KubeObject | undefined,
): Reviewed {
  const { uid = "", resourceVersion = "" } = live?.metadata ?? {};
  return { uid, resourceVersion, hash: snapshotHash([{ targetRef, ...(managedFields && { managedFields }), live }]) };
}

/**
 * The target is not any more what was reviewed, by uid and managed fields. Another resource version alone is no change: others write
 * status all the time.
 */
export function isStale(item: Item, live: KubeObject | undefined): boolean {
  const now = reviewedNow(item, live);
  return item.reviewed === undefined || now.uid !== item.reviewed.uid || now.hash !== item.reviewed.hash;
}

/** As texts name a plan: enough to tell the plans of one config apart. */
export function shortHash(planHash = ""): string {
  return planHash.slice(0, 8);
}
