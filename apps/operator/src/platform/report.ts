// Tells what a pass did: events on change, series as they stand.

import type { KubeObject } from "@virt/api";
import type { ManagedObject } from "@virt/platform";
import type { Kept } from "./acting.ts";
import { happened, resumedTold } from "./happened.ts";
import type { Pass } from "./keep.ts";
import { keyOf } from "./objects.ts";
import type { Failure, PlatformParts } from "./parts.ts";
import { pausedOf, signsOf, standingNews, type Told } from "./tell.ts";
import { managedWatch } from "./watches.ts";

export type Reported = { readonly hco: KubeObject; readonly unread: readonly Told[] };

export function reportPass(object: ManagedObject, pass: Pass, { hco, unread }: Reported, parts: PlatformParts): void {
  const { ref } = object;
  const key = keyOf(ref);
  const live = [...(parts.find(managedWatch(ref, parts.settings.hcoNamespace))?.store.items() ?? [])][0];
  if (!isPassing(noteFailure(key, pass.kept, parts))) showSeries(object, pass, live, parts);
  const stands = [...standingNews(object, pass, live), ...unread];
  const { told } = parts.standing;
  const news = [...resumed(key, pass.kept, parts), ...stands.filter((one) => isNews(key, one, told))];
  for (const one of [...happened(ref, pass), ...news]) announce(one, { key, hco, ref, parts });
  remember(key, stands, told);
}

function showSeries(
  { ref, assets }: ManagedObject,
  { kept, evaluated }: Pass,
  live: KubeObject | undefined,
  { metrics }: PlatformParts,
): void {
  const signs = signsOf(kept, live);
  if (signs === undefined) metrics.forget(ref);
  else metrics.show(ref, signs);
  for (const { name } of assets) {
    const asset = evaluated.standings.get(name);
    metrics.excluded(name, asset === undefined || asset.kind === "active" ? undefined : asset.reason);
  }
  if (kept.kind === "paused-now") metrics.thrashed(ref);
}

function noteFailure(key: string, kept: Kept, { standing, log }: PlatformParts): Failure | undefined {
  const before = standing.failures.get(key)?.times ?? 0;
  standing.failures.delete(key);
  if (kept.kind !== "failed") return undefined;
  const failure = { message: kept.message, isPermanent: kept.isPermanent, times: before + 1 };
  standing.failures.set(key, failure);
  const level = isPassing(failure) ? "debug" : "warn";
  log[level]("an object cannot be kept", { object: key, why: kept.message, times: failure.times });
  return failure;
}

const patience = 3;

/** A server that does not answer, or somebody who was faster, says nothing about the object before it lasts. */
function isPassing(failure: Failure | undefined): boolean {
  return failure !== undefined && !failure.isPermanent && failure.times < patience;
}

/** A pause that somebody ended. One of an edit war is in the object's own memory, and told with the write that clears it. */
function resumed(key: string, kept: Kept, { standing }: PlatformParts): readonly Told[] {
  if (pausedOf(kept) !== undefined) {
    standing.paused.add(key);
    return [];
  }
  const isOver = standing.paused.delete(key) && isManaged(kept);
  return isOver && !(kept.kind === "applied" && kept.apply.done.isResumed) ? resumedTold(key) : [];
}

function isManaged(kept: Kept): boolean {
  return kept.kind === "applied" || (kept.kind === "verdict" && kept.verdict.kind === "in-sync");
}

/** What is to be said about the HyperConverged itself, beside what was done to it. */
export function reportHco(stands: readonly Told[], hco: KubeObject, parts: PlatformParts): void {
  const ref = refOf(hco);
  const key = `${keyOf(ref)} itself`;
  for (const told of stands.filter((one) => isNews(key, one, parts.standing.told))) tellOfHco(told, hco, parts);
  remember(key, stands, parts.standing.told);
}

export function tellOfHco(told: Told, hco: KubeObject, parts: PlatformParts): void {
  const ref = refOf(hco);
  announce(told, { key: keyOf(ref), hco, ref, parts });
}

export function refOf({ apiVersion, kind, metadata }: KubeObject) {
  return { apiVersion, kind, name: metadata.name, namespace: metadata.namespace ?? "" };
}

type Standing = PlatformParts["standing"]["told"];

function isNews(key: string, { reason, note }: Told, told: Standing): boolean {
  return told.get(key)?.has(`${reason} ${note}`) !== true;
}

/** A situation that is over may be told again when it comes back. */
function remember(key: string, stands: readonly Told[], told: Standing): void {
  if (stands.length === 0) told.delete(key);
  else told.set(key, new Set(stands.map(({ reason, note }) => `${reason} ${note}`)));
}

type Telling = {
  readonly key: string;
  readonly hco: KubeObject;
  readonly ref: ManagedObject["ref"];
  readonly parts: PlatformParts;
};

export function announce({ type, reason, note }: Told, { key, hco, ref, parts }: Telling): void {
  parts.log[type === "Warning" ? "warn" : "info"](note, { object: key, reason });
  const { apiVersion, kind, metadata } = hco;
  const { name, namespace, uid } = metadata;
  parts.announce({
    regarding: { apiVersion, kind, name, ...(namespace && { namespace }), ...(uid && { uid }) },
    related: ref,
    type,
    reason,
    action: `${reason} ${key}`,
    note,
  });
}
