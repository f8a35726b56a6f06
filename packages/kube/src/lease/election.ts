// Decides what a candidate for a lease does next. No I/O, no clock, no mutation.

import type { Reading } from "./elapsed.ts";
import { type Candidate, heldLease, holderOf, type LeaseObject, newLease, releasedLease } from "./lease-object.ts";

/** What the API said of the lease. `failed` says nothing about it: it may have been written. */
export type LeaseAnswer =
  | { readonly kind: "found"; readonly lease: LeaseObject }
  | { readonly kind: "absent" }
  | { readonly kind: "written"; readonly lease: LeaseObject }
  | { readonly kind: "conflict" } // somebody else wrote, or created it, first
  | { readonly kind: "failed"; readonly message: string };

/** `due`: the wait is over. `leave`: release it and end. */
export type LeaseInput = LeaseAnswer | { readonly kind: "due" } | { readonly kind: "leave" };

export type LeaseAction =
  | { readonly kind: "read" }
  | { readonly kind: "create" | "update"; readonly lease: LeaseObject }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "end" };

/** What a candidate knows. Times are its own monotonic ones. */
export type Standing = {
  /** The last version that we saw, and since when we have seen no other. */
  readonly seen?: { readonly lease: LeaseObject; readonly sinceMs: number };
  /** What we asked last. A renewal goes by what we know, a claim by what we have just read. */
  readonly asked?: { readonly what: "read" | "renewal" | "claim"; readonly atMs: number };
  readonly isLeaving?: true;
};

export type Move = {
  readonly standing: Standing;
  readonly action: LeaseAction;
  /** For the fence: the write that was answered counts; or the lease is not ours, whatever the fence still thinks. */
  readonly news?: "renewed" | "lost";
};

export type Election = Candidate & { readonly retryMs: number };

export function decide(me: Election, was: Standing, input: LeaseInput, now: Reading): Move {
  if (input.kind === "leave" || was.isLeaving === true) return leave(me, was, input, now);
  switch (input.kind) {
    case "due":
      return was.seen !== undefined && isMine(me, was.seen.lease)
        ? update(was, "renewal", heldLease(was.seen.lease, me, now.wallMs), now)
        : read(was, now);
    case "found":
      return consider(me, look(was, input.lease, now), now);
    case "absent":
      return replace(me, was, now);
    case "written":
      return { ...pause(me, look(was, input.lease, now), now), news: "renewed" };
    case "conflict":
      return was.asked?.what === "renewal" ? read(was, now) : pause(me, was, now);
    case "failed":
      return pause(me, was, now);
  }
}

type Seen = NonNullable<Standing["seen"]>;

/** Ours, free, or unchanged for its whole duration by our clock: then we claim it. Nobody's timestamps are compared. */
function consider(me: Election, was: Standing & { readonly seen: Seen }, now: Reading): Move {
  const { lease } = was.seen;
  const leftMs = leftOf(me, was.seen, now);
  const move = leftMs > 0 ? pause(me, was, now, leftMs) : update(was, "claim", heldLease(lease, me, now.wallMs), now);
  return isMine(me, lease) ? move : { ...move, news: "lost" };
}

/** Somebody deleted it. Its holder does not know yet, so others wait for what is left of its time. */
function replace(me: Election, was: Standing, now: Reading): Move {
  const leftMs = was.seen === undefined ? 0 : leftOf(me, was.seen, now);
  if (leftMs > 0) return { ...pause(me, was, now, leftMs), news: "lost" };
  const action = { kind: "create", lease: newLease(me, now.wallMs) } as const;
  return { standing: asking(was, "claim", now), action, news: "lost" };
}

/** Releases what is ours or may be: a write without an answer may have arrived. Tries once more after a conflict. */
function leave(me: Election, was: Standing, input: LeaseInput, now: Reading): Move {
  const leaving = { ...was, isLeaving: true } as const;
  const release = (lease: LeaseObject, what: "renewal" | "claim") =>
    isMine(me, lease) ? update(leaving, what, releasedLease(lease, now.wallMs), now) : end(leaving);
  switch (input.kind) {
    case "leave":
      if (was.asked?.what === "claim") return { ...read(leaving, now), news: "lost" };
      return { ...(was.seen === undefined ? end(leaving) : release(was.seen.lease, "renewal")), news: "lost" };
    case "found":
      return release(input.lease, "claim");
    case "conflict":
      return was.asked?.what === "renewal" ? read(leaving, now) : end(leaving);
    case "due":
    case "absent":
    case "written":
    case "failed":
      return end(leaving);
  }
}

function look(was: Standing, lease: LeaseObject, { monotonicMs }: Reading): Standing & { readonly seen: Seen } {
  const isSame = was.seen?.lease.metadata.resourceVersion === lease.metadata.resourceVersion;
  return { ...was, seen: isSame && was.seen !== undefined ? was.seen : { lease, sinceMs: monotonicMs } };
}

/** How long a foreign lease may still be alive. */
function leftOf(me: Election, { lease, sinceMs }: Seen, { monotonicMs }: Reading): number {
  if (holderOf(lease) === "" || isMine(me, lease)) return 0;
  const durationSeconds = lease.spec?.leaseDurationSeconds ?? me.durationSeconds;
  return sinceMs + durationSeconds * 1000 - monotonicMs;
}

function isMine({ identity }: Election, lease: LeaseObject): boolean {
  return holderOf(lease) === identity;
}

function read(was: Standing, now: Reading): Move {
  return { standing: asking(was, "read", now), action: { kind: "read" } };
}

function update(was: Standing, what: "renewal" | "claim", lease: LeaseObject, now: Reading): Move {
  return { standing: asking(was, what, now), action: { kind: "update", lease } };
}

function asking(was: Standing, what: "read" | "renewal" | "claim", { monotonicMs }: Reading): Standing {
  return { ...was, asked: { what, atMs: monotonicMs } };
}

/** The retry time counts from the last question: after one that hung for longer there is no time to lose. */
function pause(me: Election, { seen, asked }: Standing, { monotonicMs }: Reading, atMostMs = me.retryMs): Move {
  const sinceAsked = monotonicMs - (asked?.atMs ?? monotonicMs);
  const ms = Math.max(0, Math.min(me.retryMs - sinceAsked, atMostMs));
  return { standing: seen === undefined ? {} : { seen }, action: { kind: "wait", ms } };
}

function end(was: Standing): Move {
  return { standing: was, action: { kind: "end" } };
}
