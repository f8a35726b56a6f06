// The hashes that say whether a spec, a plan or a target is still the one that was meant.

import type { Item, KubeObject, Ref, Reviewed, Spec } from "@virt/api";
import { digest, managedValues, snapshot, targetKey } from "@virt/engine";

/** What a plan is drafted for: action and approval are not part of it. */
export function specHash({ action: _action, approvedPlan: _approved, ...rest }: Spec): string {
  return digest(rest);
}

/** As much of an item as its hashes depend on. */
export type Hashed = Pick<Item, "name" | "operation" | "targetRef" | "desiredState" | "managedFields">;

export type WithLive<T> = T & { readonly live: KubeObject | undefined };

/** What is approved: content and the managed fields it was drafted against, and nothing else. */
export function planHash(profile: string, items: readonly WithLive<Hashed>[]): string {
  const hashed = items.map(({ name, operation, targetRef, desiredState, managedFields = [], live }) => ({
    desired: desiredState ?? null,
    live: managedValues(live, managedFields),
    managedFields,
    name,
    operation,
    target: targetKey(targetRef),
  }));
  return digest({ items: hashed, profile, version: 1 });
}

export function snapshotHash(items: readonly WithLive<Pick<Hashed, "targetRef" | "managedFields">>[]): string {
  return digest(
    snapshot(items.map(({ targetRef, managedFields = [], live }) => ({ ref: targetRef, managedFields, live }))),
  );
}

/** How a target looks now, in the form in which a review records it. */
export function reviewedNow(
  { targetRef, managedFields }: { readonly targetRef: Ref; readonly managedFields?: readonly string[] },
  live: KubeObject | undefined,
): Reviewed {
  const { uid = "", resourceVersion = "" } = live?.metadata ?? {};
  return { uid, resourceVersion, hash: snapshotHash([{ targetRef, ...(managedFields && { managedFields }), live }]) };
}

/** A version that moved alone is no change: others write status all the time. */
export function isStale(item: Item, live: KubeObject | undefined): boolean {
  const now = reviewedNow(item, live);
  return item.reviewed === undefined || now.uid !== item.reviewed.uid || now.hash !== item.reviewed.hash;
}
