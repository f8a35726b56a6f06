// Keeps events within bounds: how many about one subject, how many that wait, how many that are remembered.

import { type Bucket, fullBucket, take } from "@virt/engine";
import type { Entry } from "./event-entry.ts";
import type { Announcement } from "./event-object.ts";

type Buckets = ReadonlyMap<string, Bucket>;
type Entries = ReadonlyMap<string, Entry>;

const rate = { capacity: 25, refillMs: 300_000 };
const most = { unsent: 250, known: 1_000 };

/** Each write costs a token of its subject, when it is announced. Undefined: there is none. */
export function pay(buckets: Buckets, announcement: Announcement, now: number): Buckets | undefined {
  const subject = subjectOf(announcement);
  const { granted, bucket } = take(buckets.get(subject) ?? fullBucket, rate, now);
  if (!granted) return undefined;
  return new Map([...buckets].filter(([, { fullAt }]) => fullAt > now)).set(subject, bucket);
}

/**
 * The oldest go, but never the busy one: fresh news is worth more than old news that could not be sent, and of what was
 * told the longest silent is forgotten. `dropped` is what was still to be said.
 */
export function bound(
  entries: Entries,
  busy: string | undefined,
): { readonly kept: Entries; readonly dropped: readonly Announcement[] } {
  if (entries.size <= Math.min(most.unsent, most.known)) return { kept: entries, dropped: [] };
  const others = [...entries].filter(([name]) => name !== busy);
  const unsent = others.filter(([, { stage }]) => stage === "unsent");
  const known = others.filter(([, { stage }]) => stage !== "unsent");
  const gone = [...excess(unsent, most.unsent), ...excess(known, most.known)];
  const kept = new Map(entries);
  for (const [name] of gone) kept.delete(name);
  const dropped = gone.filter(([, { dueAt }]) => dueAt < Infinity).map(([, { announcement }]) => announcement);
  return { kept, dropped };
}

function excess<T>(oldestFirst: readonly T[], limit: number): readonly T[] {
  return oldestFirst.slice(0, Math.max(0, oldestFirst.length - limit));
}

// An object of which all events speak would use up its bucket: what they relate to counts too.
function subjectOf({ regarding, related }: Announcement): string {
  const nameOf = ({ uid, apiVersion, kind, namespace = "", name }: Announcement["regarding"]) =>
    uid ?? `${apiVersion}/${kind}/${namespace}/${name}`;
  return related === undefined ? nameOf(regarding) : `${nameOf(regarding)} ${nameOf(related)}`;
}
