// How often something may be done: a token bucket, and the rule by which repeated corrections of one field become an edit war. State
// is data: the caller keeps it and the clock. Times are milliseconds.

import type { Opponent } from "../fields/owners.ts";
import { type Path, writePath } from "../fields/path.ts";

/** How many corrections of one key are made within a window, and how long the second, the third … wait for the one before. */
export type EditWarRule = {
  readonly limit: number;
  readonly windowMs: number;
  readonly waitsMs: readonly number[]; // the last one also for all that follow
};

const minute = 60_000;

/** Per field and opponent of an object that the platform keeps. */
export const platformRule: EditWarRule = { limit: 5, windowMs: 60 * minute, waitsMs: [1000, 2000, 4000, 8000] };

/** Per item of a plan, under automatic drift correction. */
export const advisorRule: EditWarRule = { limit: 3, windowMs: 30 * minute, waitsMs: [minute, 5 * minute] };

/** What a correction is counted under: the same field against the same manager. */
export function editWarKey(path: Path, opponent: Opponent | "unknown"): string {
  return `${writePath(path)}|${opponent === "unknown" ? opponent : opponent.manager}`;
}

/** Times in milliseconds, ascending. */
export type EditWarRecord = Readonly<Record<string, readonly number[]>>;

/** Correct now, wait, or stop because of an edit war; times are milliseconds from now. */
export type EditWarRuling =
  | { readonly kind: "correct" }
  | { readonly kind: "wait"; readonly inMs: number }
  | { readonly kind: "fight"; readonly key: string; readonly count: number; readonly overInMs: number };

/** For a difference that touches these keys: a fight over one of them stops all, else the longest wait counts. */
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

/** After a correction that succeeded. What is older than the window is forgotten, keys with it. */
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

// The edges belong to the window: an opponent who acts every fifth of it fights.
function within(times: readonly number[], { windowMs }: EditWarRule, now: number): readonly number[] {
  return times.filter((time) => now - time <= windowMs);
}

// A clock that went back must not make anybody wait for longer than the rule says.
function waitAfter(times: readonly number[], { waitsMs }: EditWarRule, now: number): number {
  const last = times.at(-1);
  const wait = waitsMs[Math.min(times.length, waitsMs.length) - 1];
  return last === undefined || wait === undefined ? 0 : Math.min(wait, Math.max(0, last + wait - now));
}

function overIn(times: readonly number[], { limit, windowMs }: EditWarRule, now: number): number {
  const first = times.at(-limit) ?? now;
  return Math.min(windowMs, first + windowMs - now) + 1;
}

/** One token comes back every refillMs. */
export type BucketRate = {
  readonly capacity: number;
  readonly refillMs: number;
  /** What is done costs as many; one where nothing is said. */
  readonly tokens?: number;
};

/** Full from this time on; each token taken moves it by one refill. */
export type Bucket = { readonly fullAt: number };

/** Whether a token was there, the bucket afterwards, and when the next one is. */
export type BucketTake = { readonly granted: boolean; readonly bucket: Bucket; readonly retryInMs: number };

/** A bucket that was never used. */
export const fullBucket: Bucket = { fullAt: Number.NEGATIVE_INFINITY };

/** Not granted: the bucket stays as it is, and retryInMs says when the tokens will be there. */
export function takeToken(bucket: Bucket, { capacity, refillMs, tokens = 1 }: BucketRate, now: number): BucketTake {
  // A clock that went back must not make anybody wait for longer than an empty bucket does.
  const fullAt = Math.min(Math.max(bucket.fullAt, now), now + capacity * refillMs);
  const after = fullAt + tokens * refillMs;
  const missing = after - now - capacity * refillMs;
  if (missing > 0) return { granted: false, bucket: { fullAt }, retryInMs: missing };
  return { granted: true, bucket: { fullAt: after }, retryInMs: 0 };
}

/** It is like one that was never used. */
export function isFull(bucket: Bucket, now: number): boolean {
  return bucket.fullAt <= now;
}
