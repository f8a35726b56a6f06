// Executes one item that is on record as begun: exactly what was reviewed, or nothing.

import { type Done, isStale, namespaceText } from "@virt/advisor";
import { configKind, fieldManagers, type Item, type KubeObject, type VirtPlatformConfig } from "@virt/api";
import {
  appliedBy,
  type Cluster,
  type Conflict,
  contentChanges,
  desiredChanges,
  dottedPath,
  isMadeBy,
  type Outcome,
  readOwners,
  touchesField,
} from "@virt/engine";
import type { Reader } from "@virt/kube";
import { expecting, nameOf } from "./draft.ts";
import type { Judged } from "./rejections.ts";

export type Performing = {
  readonly cluster: Cluster & Reader;
  readonly judge: (item: string, message: string) => Judged;
  /** The person does not care what the target looked like. */
  readonly isLockBypassed: boolean;
  /** What the server answered to a write, so that the next pass waits for it. */
  readonly wrote: (item: Item, live: KubeObject) => void;
};

/** A change outside the managed fields moves the version: then the target is read again. */
const mostRounds = 5;

export async function perform(config: VirtPlatformConfig, item: Item, performing: Performing): Promise<Done> {
  const fresh = await performing.cluster.read({ ...configKind, name: config.metadata.name });
  if (fresh.kind !== "found") return fresh.kind === "absent" ? { kind: "edited" } : unreadable(item, fresh);
  const { uid, resourceVersion } = config.metadata;
  if (fresh.object.metadata.uid !== uid || fresh.object.metadata.resourceVersion !== resourceVersion)
    return { kind: "edited" };
  for (let round = 0; round < mostRounds; round++) {
    const done = await attempt(item, performing);
    if (done !== "again") return done;
  }
  return { kind: "unavailable", message: `${nameOf(item.targetRef)} keeps changing while it is applied` };
}

type Refused = { readonly kind: string; readonly message?: string; readonly retryInMs?: number };

function unreadable({ targetRef }: Item, { kind, message = kind, retryInMs }: Refused): Done {
  const why = `cannot read ${nameOf(targetRef)}: ${message}`;
  return { kind: "unavailable", message: why, ...(retryInMs !== undefined && { retryInMs }) };
}

async function attempt(item: Item, performing: Performing): Promise<Done | "again"> {
  const { cluster, isLockBypassed } = performing;
  const reading = await cluster.read(item.targetRef);
  if (reading.kind !== "found" && reading.kind !== "absent") return unreadable(item, reading);
  const live = reading.kind === "found" ? reading.object : undefined;
  if (item.desiredState === undefined) return remove(item, live, performing);
  if (live !== undefined && desiredChanges(item.desiredState, live).length === 0) {
    const applied = await isApplied({ item, live, desired: item.desiredState }, cluster);
    if (applied !== false) return applied;
  }
  if (isStale(item, live) && !isLockBypassed) return { kind: "stale" };
  const force = isLockBypassed ? true : await mayForce(item, live, cluster);
  if (typeof force !== "boolean") return force;
  const write = { manager: fieldManagers.advisor, force, expect: expecting(live) };
  const outcome = await cluster.apply(item.desiredState, write);
  if (outcome.kind === "done" && outcome.live !== undefined) performing.wrote(item, outcome.live);
  return conclude(item, outcome, performing);
}

type Pair = { readonly item: Item; readonly live: KubeObject; readonly desired: KubeObject };

/** Whether a process before us has done it: the server would change nothing, and the fields are ours. */
async function isApplied({ item, live, desired }: Pair, cluster: Cluster): Promise<Done | "again" | false> {
  const write = { manager: fieldManagers.advisor, force: true, expect: expecting(live) };
  const outcome = await cluster.predict(desired, write);
  if (outcome.kind === "stale") return "again";
  if (outcome.kind === "unavailable") return { ...outcome };
  if (outcome.kind !== "done" || outcome.live === undefined || contentChanges(live, outcome.live).length > 0)
    return false;
  const ours = appliedBy(readOwners(live), fieldManagers.advisor);
  return (item.managedFields ?? []).every((field) => touchesField(ours, dottedPath(field)))
    ? { kind: "confirmed" }
    : false;
}

/** Only what was shown is taken from others. */
async function mayForce(item: Item, live: KubeObject | undefined, cluster: Cluster): Promise<boolean | Done | "again"> {
  if ((item.conflicts ?? []).length === 0 || item.desiredState === undefined) return false;
  const gentle = { manager: fieldManagers.advisor, force: false, expect: expecting(live) };
  const outcome = await cluster.predict(item.desiredState, gentle);
  if (outcome.kind === "done") return false;
  if (outcome.kind === "stale") return "again";
  if (outcome.kind !== "conflict") return outcome.kind === "unavailable" ? { ...outcome } : false;
  const isShown = ({ field, manager }: Conflict) =>
    item.conflicts?.some((shown) => shown.field === field && shown.manager === manager) === true;
  return outcome.conflicts.every(isShown) ? true : { kind: "stale" };
}

async function remove(item: Item, live: KubeObject | undefined, performing: Performing): Promise<Done | "again"> {
  if (live === undefined) return { kind: "confirmed" };
  const isOurs = isMadeBy(live, fieldManagers.advisor, item.managedFields ?? []);
  const expect = expecting(live);
  if (isStale(item, live) || !isOurs || typeof expect === "string") return { kind: "stale" };
  const outcome = await performing.cluster.remove(item.targetRef, {
    manager: fieldManagers.advisor,
    force: false,
    expect,
  });
  return conclude(item, outcome, performing);
}

function conclude(item: Item, outcome: Outcome, { judge }: Performing): Done | "again" {
  switch (outcome.kind) {
    case "done":
      return { kind: "confirmed" };
    case "stale":
      return "again";
    case "conflict":
      return { kind: "stale" };
    case "missing":
      if (outcome.what === "namespace")
        return { kind: "blocked", message: namespaceText(item.targetRef.namespace ?? "") };
      return { kind: "unavailable", message: `${item.targetRef.kind} is not served any more` };
    case "rejected":
      return judge(item.name, outcome.message);
    case "unavailable":
      return outcome;
  }
}
