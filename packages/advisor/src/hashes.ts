import type { Item, KubeObject, PoolDisruption, Ref, Reviewed, Spec } from "@virt/api";
import { compareUtf8, digest, snapshotTargets, targetKey } from "@virt/objects";

/** Returns a hash of the parts of the spec that affect a draft, which excludes the action and the approval. */
export function specHash({ action: _action, approvedPlan: _approved, ...rest }: Spec): string {
  return digest(rest);
}

export type HashedItem = Pick<
  Item,
  "name" | "operation" | "targetRef" | "desiredState" | "managedFields" | "sourceHash"
>;

export type WithLive<T> = T & { readonly live: KubeObject | undefined };

/** The part of the spec that the plan hash covers: the profile and the execution settings. */
export type HashedSpec = Pick<Spec, "profile" | "guards" | "bypassOptimisticLock" | "failurePolicy" | "waitTimeout">;

/** Returns the plan hash. It covers items, disruption and execution settings as stored, so that a stored plan can be verified. */
export function planHash(
  { profile, guards = {}, bypassOptimisticLock, failurePolicy, waitTimeout = "" }: HashedSpec,
  items: readonly HashedItem[],
  disruption: readonly PoolDisruption[] = [],
): string {
  const execution = { bypassOptimisticLock, failurePolicy, guards: { ...guards }, waitTimeout };
  return digest({ ...contentOf(items, disruption), execution, profile, version: 3 });
}

/** The origin of a hash. `earlier` means that an earlier release computed it, and lists the parts that it does not cover. */
export type HashOrigin =
  | { readonly kind: "current" | "unknown" }
  | { readonly kind: "earlier"; readonly additions: readonly string[] };

/**
 * Finds out which release computed the hash. Version 2 hashes do not cover the execution settings. Older hashes do not
 * cover the disruption either.
 */
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

/** Returns the current target, in the form in which a review records targets. */
export function reviewedNow(
  { targetRef, managedFields }: { readonly targetRef: Ref; readonly managedFields?: readonly string[] },
  live: KubeObject | undefined,
): Reviewed {
  const { uid = "", resourceVersion = "" } = live?.metadata ?? {};
  return { uid, resourceVersion, hash: snapshotHash([{ targetRef, ...(managedFields && { managedFields }), live }]) };
}

/**
 * Reports whether the target changed since the review, by its uid and managed fields. Ignores the resourceVersion,
 * because every status write changes it.
 */
export function isStale(item: Item, live: KubeObject | undefined): boolean {
  const now = reviewedNow(item, live);
  return item.reviewed === undefined || now.uid !== item.reviewed.uid || now.hash !== item.reviewed.hash;
}
