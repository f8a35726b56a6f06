// A token bucket, and the rule for when repeated corrections of a field become an edit war. Callers keep the state and
// the clock. Times are in milliseconds.

import type { Opponent } from "../fields/owners.ts";
import { type Path, writePath } from "../fields/path.ts";

/** Limits the corrections per key and window. `waitsMs` are the waits before the second, third, … correction. */
export type EditWarRule = {
  readonly limit: number;
  readonly windowMs: number;
  readonly waitsMs: readonly number[]; // the last one repeats
};

const minute = 60_000;

/** Applies per field and opponent of an object that the platform controller manages. */
export const platformRule: EditWarRule = { limit: 5, windowMs: 60 * minute, waitsMs: [1000, 2000, 4000, 8000] };

/** Applies per item of a plan with automatic drift correction. */
export const advisorRule: EditWarRule = { limit: 3, windowMs: 30 * minute, waitsMs: [minute, 5 * minute] };

/** Returns the key of a field and its opponent in an `EditWarRecord`. */
export function editWarKey(path: Path, opponent: Opponent | "unknown"): string {
  return `${writePath(path)}|${opponent === "unknown" ? opponent : opponent.manager}`;
}

/** Times by key, ascending. */
export type EditWarRecord = Readonly<Record<string, readonly number[]>>;

/** The decision. Times are relative to now. */
export type EditWarRuling =
  | { readonly kind: "correct" }
  | { readonly kind: "wait"; readonly inMs: number }
  | { readonly kind: "fight"; readonly key: string; readonly count: number; readonly overInMs: number };

/** Stops all corrections if one key is in an edit war. Otherwise applies the longest wait. */
export function decideEditWar(
  fights: EditWarRecord,
  keys: readonly string[],
  { rule, now }: { readonly rule: EditWarRule; readonly now: number },
): EditWarRuling {
  const recent = keys.map((key) => ({ key, times: within(timesOf(fights, key), rule, now) }));
  const fight = recent.find(({ times }) => times.length >= rule.limit);
  if (fight !== undefined)
    return { kind: "fight", key: fight.key, count: fight.times.length, overInMs: overIn(fight.times, rule, now) };
  const inMs = Math.max(0, ...recent.map(({ times }) => waitAfter(times, rule, now)));
  return inMs > 0 ? { kind: "wait", inMs } : { kind: "correct" };
}

/** Records a correction and drops entries older than the window. */
export function recordCorrection(
  fights: EditWarRecord,
  keys: readonly string[],
  { rule, now }: { readonly rule: EditWarRule; readonly now: number },
): EditWarRecord {
  const all = new Set([...Object.keys(fights), ...keys]);
  const entries = [...all].map((key) => {
    const times = within(timesOf(fights, key), rule, now);
    return [key, keys.includes(key) ? [...times, now] : times] as const;
  });
  return Object.fromEntries(entries.filter(([, times]) => times.length > 0));
}

function timesOf(fights: EditWarRecord, key: string): readonly number[] {
  return Object.hasOwn(fights, key) ? (fights[key] ?? []) : [];
}

// Returns the times within the window, including both ends.
function within(times: readonly number[], { windowMs }: EditWarRule, now: number): readonly number[] {
  return times.filter((time) => now - time <= windowMs);
}

// Caps the wait at the one in the rule, in case the clock was set back.
function waitAfter(times: readonly number[], { waitsMs }: EditWarRule, now: number): number {
  const last = times.at(-1);
  const wait = waitsMs[Math.min(times.length, waitsMs.length) - 1];
  return last === undefined || wait === undefined ? 0 : Math.min(wait, Math.max(0, last + wait - now));
}

function overIn(times: readonly number[], { limit, windowMs }: EditWarRule, now: number): number {
  const first = times.at(-limit) ?? now;
  return Math.min(windowMs, first + windowMs - now) + 1;
}

/** One token returns every `refillMs`. */
export type BucketRate = {
  readonly capacity: number;
  readonly refillMs: number;
  /** The tokens per action. Defaults to 1. */
  readonly tokens?: number;
};

/** The time at which the bucket is full. Each token taken delays it by one refill period. */
export type Bucket = { readonly fullAt: number };

/** The result of taking tokens. `retryInMs` is 0 if they were granted. */
export type BucketTake = { readonly granted: boolean; readonly bucket: Bucket; readonly retryInMs: number };

/** A bucket that was never used. It is full at any time. */
export const fullBucket: Bucket = { fullAt: Number.NEGATIVE_INFINITY };

/** Takes the tokens, or none if there are not enough. */
export function takeToken(bucket: Bucket, { capacity, refillMs, tokens = 1 }: BucketRate, now: number): BucketTake {
  // Caps the wait at that for an empty bucket, in case the clock was set back.
  const fullAt = Math.min(Math.max(bucket.fullAt, now), now + capacity * refillMs);
  const after = fullAt + tokens * refillMs;
  const missing = after - now - capacity * refillMs;
  if (missing > 0) return { granted: false, bucket: { fullAt }, retryInMs: missing };
  return { granted: true, bucket: { fullAt: after }, retryInMs: 0 };
}

/** Reports whether the bucket is full, so that it can be forgotten. */
export function isFull(bucket: Bucket, now: number): boolean {
  return bucket.fullAt <= now;
}
