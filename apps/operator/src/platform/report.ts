// Tells what a pass did: events on change, series as they stand.

import type { KubeObject } from "@virt/api";
import type { ManagedObject } from "@virt/platform";
import type { Kept } from "./acting.ts";
import { findingOf, undecided } from "./findings.ts";
import { happened, resumedTold } from "./happened.ts";
import { chooseHco } from "./hco.ts";
import type { Pass } from "./keep.ts";
import { keyOf } from "./objects.ts";
import type { Failure, PlatformParts } from "./parts.ts";
import { isInSync, isUnsettled, pausedOf, type SignsSeen, signsOf } from "./signs.ts";
import { standingNews, type Told } from "./tell.ts";
import { throttledNews } from "./throttled.ts";
import { managedWatch } from "./watches.ts";

export type Reported = { readonly hco: KubeObject; readonly unread: readonly Told[] };

export function reportPass(object: ManagedObject, pass: Pass, { hco, unread }: Reported, parts: PlatformParts): void {
  if (isForgotten(parts)) return;
  const { ref } = object;
  const key = keyOf(ref);
  const { kept, evaluated } = pass;
  const { told, throttled } = parts.standing;
  const live = [...(parts.find(managedWatch(ref, parts.settings.hcoNamespace))?.store.items() ?? [])][0];
  const isPassing = isPassingFailure(noteFailure(key, kept, parts));
  showSeries(object, pass, { live, isPassing }, parts);
  const bucket = parts.memory.get(key)?.bucket;
  const waits = throttledNews(key, kept, { throttled, bucket, now: parts.clock.wall() });
  const stands = [...standingNews(object, pass, live), ...waits, ...unread];
  const said = [...happened(ref, pass), ...stands].filter((one) => isNews(key, one, told));
  for (const one of [...resumed(key, kept, parts), ...said]) announce(one, { key, hco, ref, parts });
  remember(key, stands, { told, undecided: undecided(kept, evaluated) });
}

/** The HyperConverged went while somebody looked, and all that was known of objects with it. */
export function isForgotten({ standing, find, settings }: PlatformParts): boolean {
  return standing.activity === "no HyperConverged" && chooseHco(find, settings.hcoNamespace).kind !== "found";
}

function showSeries(
  { ref, assets }: ManagedObject,
  { kept, evaluated }: Pass,
  seen: Omit<SignsSeen, "last">,
  { metrics }: PlatformParts,
): void {
  const signs = signsOf(kept, { ...seen, last: metrics.shown(ref) });
  if (signs === undefined) metrics.forget(ref);
  else metrics.show(ref, signs);
  for (const { name } of assets) {
    const asset = evaluated.standings.get(name);
    metrics.excluded(name, asset === undefined || asset.kind === "active" ? undefined : asset.reason);
  }
  if (kept.kind === "paused-now") metrics.thrashed(ref);
}

function noteFailure(key: string, kept: Kept, { standing, log }: PlatformParts): Failure | undefined {
  if (kept.kind !== "failed") {
    if (findingOf(kept) === "settled") standing.failures.delete(key);
    return undefined;
  }
  const before = standing.failures.get(key)?.times ?? 0;
  const failure = { message: kept.message, isPermanent: kept.isPermanent, times: before + 1 };
  standing.failures.set(key, failure);
  const level = isPassingFailure(failure) ? "debug" : "warn";
  log[level]("an object cannot be kept", { object: key, why: kept.message, times: failure.times });
  return failure;
}

const patience = 3;

/** A server that does not answer, or somebody who was faster, says nothing about the object before it lasts. */
function isPassingFailure(failure: Failure | undefined): boolean {
  return failure !== undefined && !failure.isPermanent && failure.times < patience;
}

/** A pause that somebody ended. One of an edit war is in the object's own memory, and told with the write that clears it. */
function resumed(key: string, kept: Kept, { standing }: PlatformParts): readonly Told[] {
  if (pausedOf(kept) !== undefined) {
    standing.paused.add(key);
    return [];
  }
  if (isUnsettled(kept)) return []; // whether it goes on is seen when it has gone on
  const isOver = standing.paused.delete(key) && isInSync(kept);
  return isOver && !(kept.kind === "applied" && kept.apply.done.isResumed) ? resumedTold(key) : [];
}

/** What is to be said about the HyperConverged itself, beside what was done to it. */
export function reportHco(
  { stands, undecided: open = new Set() }: HcoStands,
  hco: KubeObject,
  parts: PlatformParts,
): void {
  const key = subjectOf(hco);
  const { told } = parts.standing;
  for (const one of stands.filter((news) => isNews(key, news, told))) tellOfHco(one, hco, parts);
  remember(key, stands, { told, undecided: open });
}

type HcoStands = {
  readonly stands: readonly Told[];
  /** Reasons that nobody could look into. */
  readonly undecided?: ReadonlySet<string>;
};

export function subjectOf(hco: KubeObject): string {
  return `${keyOf(refOf(hco))} itself`;
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

/** A situation that is over may be told again when it comes back; of what is undecided nobody knows that. */
function remember(key: string, stands: readonly Told[], { told, undecided: open }: Remembering): void {
  const kept = [...(told.get(key) ?? [])].filter((text) => open.has(text.split(" ", 1)[0] ?? ""));
  const all = new Set([...kept, ...stands.map(({ reason, note }) => `${reason} ${note}`)]);
  if (all.size === 0) told.delete(key);
  else told.set(key, all);
}

type Remembering = { readonly told: Standing; readonly undecided: ReadonlySet<string> };

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
