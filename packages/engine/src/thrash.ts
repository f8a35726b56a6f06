// When to stop correcting: the same thing corrected too often is a fight. State is data: keys with the times of their corrections.

import type { Opponent } from "./opponent.ts";
import { type Path, writePath } from "./path.ts";

/** How many corrections of one key are made within a window, and how long the second, the third … wait for the one before. */
export type FightRule = {
  readonly limit: number;
  readonly windowMs: number;
  readonly waitsMs: readonly number[]; // the last one also for all that follow
};

const minute = 60_000;

/** Per field and opponent of an object that the platform keeps. */
export const platformRule: FightRule = { limit: 5, windowMs: 60 * minute, waitsMs: [1000, 2000, 4000, 8000] };

/** Per item of a plan, under automatic drift correction. */
export const advisorRule: FightRule = { limit: 3, windowMs: 30 * minute, waitsMs: [minute, 5 * minute] };

/** What a correction is counted under: the same field against the same manager. */
export function fightKey(path: Path, opponent: Opponent | "unknown"): string {
  return `${writePath(path)}|${opponent === "unknown" ? opponent : opponent.manager}`;
}

/** Times in milliseconds, ascending. */
export type Fights = Readonly<Record<string, readonly number[]>>;

export type Ruling =
  | { readonly kind: "correct" }
  | { readonly kind: "wait"; readonly inMs: number }
  | { readonly kind: "fight"; readonly key: string; readonly count: number; readonly overInMs: number };

/** For a difference that touches these keys: a fight over one of them stops all, else the longest wait counts. */
export function judgeFight(
  fights: Fights,
  keys: readonly string[],
  { rule, now }: { readonly rule: FightRule; readonly now: number },
): Ruling {
  const recent = keys.map((key) => ({ key, times: within(timesOf(fights, key), rule, now) }));
  const fight = recent.find(({ times }) => times.length >= rule.limit);
  if (fight !== undefined)
    return { kind: "fight", key: fight.key, count: fight.times.length, overInMs: overIn(fight.times, rule, now) };
  const inMs = Math.max(0, ...recent.map(({ times }) => waitAfter(times, rule, now)));
  return inMs > 0 ? { kind: "wait", inMs } : { kind: "correct" };
}

/** After a correction that succeeded. What is older than the window is forgotten, keys with it. */
export function recordCorrection(
  fights: Fights,
  keys: readonly string[],
  { rule, now }: { readonly rule: FightRule; readonly now: number },
): Fights {
  const all = new Set([...Object.keys(fights), ...keys]);
  const entries = [...all].map((key) => {
    const times = within(timesOf(fights, key), rule, now);
    return [key, keys.includes(key) ? [...times, now] : times] as const;
  });
  return Object.fromEntries(entries.filter(([, times]) => times.length > 0));
}

function timesOf(fights: Fights, key: string): readonly number[] {
  return Object.hasOwn(fights, key) ? (fights[key] ?? []) : [];
}

// The edges belong to the window: an opponent who acts every fifth of it fights.
function within(times: readonly number[], { windowMs }: FightRule, now: number): readonly number[] {
  return times.filter((time) => now - time <= windowMs);
}

// A clock that went back must not make anybody wait for longer than the rule says.
function waitAfter(times: readonly number[], { waitsMs }: FightRule, now: number): number {
  const last = times.at(-1);
  const wait = waitsMs[Math.min(times.length, waitsMs.length) - 1];
  return last === undefined || wait === undefined ? 0 : Math.min(wait, Math.max(0, last + wait - now));
}

function overIn(times: readonly number[], { limit, windowMs }: FightRule, now: number): number {
  const first = times.at(-limit) ?? now;
  return Math.min(windowMs, first + windowMs - now) + 1;
}
