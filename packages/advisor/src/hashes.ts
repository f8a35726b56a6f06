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

/** The part of a spec that the plan hash covers: the profile, and the settings that say how the plan is executed. */
export type HashedSpec = Pick<Spec, "profile" | "guards" | "bypassOptimisticLock" | "failurePolicy" | "waitTimeout">;

/**
 * Returns the hash that an approval names. It covers the items, the managed fields that they were drafted against, the disrupted pools,
 * and the settings of the execution. It is made of what spec and status store, so that a stored plan can be checked against it.
 */
export function planHash(
  { profile, guards = {}, bypassOptimisticLock, failurePolicy, waitTimeout = "" }: HashedSpec,
  items: readonly HashedItem[],
  disruption: readonly PoolDisruption[] = [],
): string {
  const execution = { bypassOptimisticLock, failurePolicy, guards: { ...guards }, waitTimeout };
  return digest({ ...contentOf(items, disruption), execution, profile, version: 3 });
}

/** Where the hash of a stored plan comes from: this release, an earlier one (the clause names the additions since), or neither. */
export type HashOrigin =
  | { readonly kind: "current" | "unknown" }
  | { readonly kind: "earlier"; readonly additions: readonly string[] };

/** Earlier releases did not include the settings of the execution, and before that not the disruption of pools. */
export function hashOrigin(
  stored: string | undefined,
  spec: HashedSpec,
  items: readonly HashedItem[],
  disruption: readonly PoolDisruption[] = [],
): HashOrigin {
  if (stored === planHash(spec, items, disruption)) return { kind: "current" };
  const earlier = (pools: readonly PoolDisruption[]) =>
    digest({ ...contentOf(items, pools), profile: spec.profile, version: 2 });
  if (stored === earlier(disruption)) return { kind: "earlier", additions: [executionFields] };
  if (stored !== earlier([])) return { kind: "unknown" };
  const pools = disruption.map(({ pool, class: disruptionClass }) => `${pool}: ${disruptionClass}`).join(", ");
  return { kind: "earlier", additions: [executionFields, `the disruption of pools (${pools})`] };
}

const executionFields = "guards, bypassOptimisticLock, failurePolicy and waitTimeout";

function contentOf(items: readonly HashedItem[], disruption: readonly PoolDisruption[]) {
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
  return { ...(disturbed.length > 0 && { disruption: disturbed }), items: hashed };
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
