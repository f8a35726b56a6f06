// Applies a plan item exactly as reviewed, or not at all. The status must already record it as started.

import { type ItemResult, isStale, missingNamespaceText } from "@virt/advisor";
import { configKind, type Item, type KubeObject, type VirtPlatformConfig } from "@virt/api";
import type { Cluster } from "@virt/kube";
import {
  appliedBy,
  type Conflict,
  contentChanges,
  desiredChanges,
  dottedPath,
  givesUpFields,
  isMadeBy,
  type Outcome,
  ownersOf,
  readOwners,
  touchesField,
} from "@virt/objects";
import { describeRef, expectedVersion } from "./draft-plan.ts";
import type { RejectionCounter } from "./runtime.ts";

type ApplyItemOptions = {
  readonly cluster: Cluster;
  /** The field manager of the profile. */
  readonly manager: string;
  readonly rejections: RejectionCounter;
  readonly isLockBypassed: boolean;
  /** Called with the server's response to a write. The next reconcile waits until the informer has caught up with it. */
  readonly onWritten: (item: Item, live: KubeObject) => void;
};

/** A write can conflict because of a change to an unrelated field, so it is retried up to this many times. */
const maxAttempts = 5;

export async function applyItem(
  config: VirtPlatformConfig,
  item: Item,
  options: ApplyItemOptions,
): Promise<ItemResult> {
  const fresh = await options.cluster.read({ ...configKind, name: config.metadata.name });
  if (fresh.kind !== "found") return fresh.kind === "absent" ? { kind: "edited" } : unreadable(item, fresh);
  const { uid, resourceVersion } = config.metadata;
  if (fresh.object.metadata.uid !== uid || fresh.object.metadata.resourceVersion !== resourceVersion)
    return { kind: "edited" };
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const result = await tryApplyItem(item, options);
    if (result !== "modified") return result;
  }
  return {
    kind: "unavailable",
    message: `${describeRef(item.targetRef)} was modified concurrently several times in a row`,
  };
}

type FailedRead = { readonly kind: string; readonly message?: string; readonly retryInMs?: number };

function unreadable({ targetRef }: Item, { kind, message = kind, retryInMs }: FailedRead): ItemResult {
  const why = `cannot read ${describeRef(targetRef)}: ${message}`;
  return { kind: "unavailable", message: why, ...(retryInMs !== undefined && { retryInMs }) };
}

async function tryApplyItem(item: Item, options: ApplyItemOptions): Promise<ItemResult | "modified"> {
  const { cluster, manager, isLockBypassed } = options;
  const reading = await cluster.read(item.targetRef);
  if (reading.kind !== "found" && reading.kind !== "absent") return unreadable(item, reading);
  const live = reading.kind === "found" ? reading.object : undefined;
  if (item.desiredState === undefined) return deleteItem(item, live, options);
  if (live !== undefined && desiredChanges(item.desiredState, live).length === 0) {
    const applied = await isApplied({ item, live, desired: item.desiredState }, options);
    if (applied !== false) return applied;
  }
  if (isStale(item, live) && !isLockBypassed) return { kind: "stale" };
  const force = isLockBypassed ? true : await mayForce(item, live, options);
  if (typeof force !== "boolean") return force;
  const write = { manager, force, expect: expectedVersion(live) };
  const outcome = await cluster.apply(item.desiredState, write);
  if (outcome.kind === "done" && outcome.live !== undefined) options.onWritten(item, outcome.live);
  const result = itemResultOf(item, outcome, options);
  if (result === "modified" || result.kind !== "confirmed" || !force) return result;
  return { ...result, tookOver: ownedByOthers(item.conflicts ?? [], live) };
}

type Writer = Pick<ApplyItemOptions, "cluster" | "manager">;
type AppliedCandidate = { readonly item: Item; readonly live: KubeObject; readonly desired: KubeObject };

/** Reports whether an earlier process already applied the item: a dry run changes nothing, and the advisor owns the fields. */
async function isApplied(
  { item, live, desired }: AppliedCandidate,
  { cluster, manager }: Writer,
): Promise<ItemResult | "modified" | false> {
  const write = { manager, force: true, expect: expectedVersion(live) };
  const outcome = await cluster.dryRunApply(desired, write);
  if (outcome.kind === "stale") return "modified";
  if (outcome.kind === "unavailable") return { ...outcome };
  if (outcome.kind !== "done" || outcome.live === undefined || contentChanges(live, outcome.live).length > 0)
    return false;
  if (givesUpFields(live, outcome.live, manager)) return false;
  const ours = appliedBy(readOwners(live), manager);
  return (item.managedFields ?? []).every((field) => touchesField(ours, dottedPath(field)))
    ? { kind: "confirmed" }
    : false;
}

/** Reports whether the apply may be forced: only if the reviewed plan showed all current conflicts. */
async function mayForce(
  item: Item,
  live: KubeObject | undefined,
  { cluster, manager }: Writer,
): Promise<boolean | ItemResult | "modified"> {
  if ((item.conflicts ?? []).length === 0 || item.desiredState === undefined) return false;
  const unforced = { manager, force: false, expect: expectedVersion(live) };
  const outcome = await cluster.dryRunApply(item.desiredState, unforced);
  if (outcome.kind === "done") return false;
  if (outcome.kind === "stale") return "modified";
  if (outcome.kind !== "conflict") return outcome.kind === "unavailable" ? { ...outcome } : false;
  const isShown = ({ field, manager }: Conflict) =>
    item.conflicts?.some((shown) => shown.field === field && shown.manager === manager) === true;
  return outcome.conflicts.every(isShown) ? true : { kind: "stale" };
}

function ownedByOthers(shown: readonly Conflict[], live: KubeObject | undefined): readonly Conflict[] {
  const owners = live === undefined ? [] : readOwners(live);
  return shown.filter(({ field, manager }) =>
    ownersOf(owners, dottedPath(field)).some((owner) => owner.manager === manager),
  );
}

async function deleteItem(
  item: Item,
  live: KubeObject | undefined,
  options: ApplyItemOptions,
): Promise<ItemResult | "modified"> {
  if (live === undefined) return { kind: "confirmed" };
  const { cluster, manager } = options;
  const isOurs = isMadeBy(live, manager, item.managedFields ?? []);
  const expect = expectedVersion(live);
  if (isStale(item, live) || !isOurs || typeof expect === "string") return { kind: "stale" };
  const outcome = await cluster.remove(item.targetRef, { manager, force: false, expect });
  return itemResultOf(item, outcome, options);
}

function itemResultOf(item: Item, outcome: Outcome, { rejections }: ApplyItemOptions): ItemResult | "modified" {
  if (outcome.kind !== "rejected" && outcome.kind !== "unavailable") rejections.reset(item.name);
  switch (outcome.kind) {
    case "done":
      return { kind: "confirmed" };
    case "stale":
      return "modified";
    case "conflict":
      return { kind: "stale" };
    case "missing":
      if (outcome.what === "namespace")
        return { kind: "blocked", message: missingNamespaceText(item.targetRef.namespace ?? "") };
      return { kind: "unavailable", message: `${item.targetRef.kind} is no longer served: its CRD is missing` };
    case "rejected":
      return rejections.count(item.name, outcome.message);
    case "unavailable":
      return outcome;
  }
}
