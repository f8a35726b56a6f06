// Decides which events are written, and when: each once, repetitions as a series, not too many about one subject.

import type { Bucket } from "@virt/engine";
import type { Reading } from "../lease/elapsed.ts";
import type { Writing } from "../wire/outcome.ts";
import { type Entry, type EventWrite, firstTime, judgeWrite, repeated, writeOf } from "./event-entry.ts";
import { bound, pay } from "./event-limits.ts";
import type { Announcement } from "./event-object.ts";

export type Series = {
  /** A series is raised at most once in this time. */
  readonly repeatMs: number;
  /** By name; the one that was seen longest ago comes first. */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly buckets: ReadonlyMap<string, Bucket>;
  /** The one whose answer we wait for, and how many of its repetitions that write carries. */
  readonly busy?: { readonly name: string; readonly said: number };
  readonly failures: number;
  readonly notBefore: number;
  readonly isStopping: boolean;
};

/** Why an event was not written. */
export type Loss = "throttled" | "overflow" | "refused" | "stopped";

export type SeriesInput =
  | { readonly is: "announced"; readonly name: string; readonly announcement: Announcement }
  /** `isParked`: nothing is sent until somebody is `woken`, because a breaker is open. */
  | { readonly is: "answered"; readonly writing: Writing; readonly isParked: boolean }
  | { readonly is: "woken" }
  | { readonly is: "due" }
  | { readonly is: "stopping" };

export type SeriesAction =
  | EventWrite
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "lose"; readonly why: Loss; readonly announcement: Announcement; readonly message: string };

type Move = { readonly series: Series; readonly actions: readonly SeriesAction[] };

const backoffMs = { first: 1_000, cap: 30_000 };

export function noSeries(repeatMs: number): Series {
  return {
    repeatMs,
    entries: new Map(),
    buckets: new Map(),
    failures: 0,
    notBefore: Number.NEGATIVE_INFINITY,
    isStopping: false,
  };
}

/**
 * At most one write is on its way: until it is answered there is neither another nor a `wait`. No `wait` and no write
 * means that there is nothing to do until something is announced.
 */
export function stepSeries(was: Series, input: SeriesInput, now: Reading): Move {
  const { series, actions } = hear(was, input, now);
  if (series.busy !== undefined) return { series, actions };
  const next = proceed(series, now.monotonicMs);
  return { series: next.series, actions: [...actions, ...next.actions] };
}

/** What a process that ends now has never said. */
export function unsentOf({ entries }: Series): readonly Announcement[] {
  return [...entries.values()].filter(({ stage }) => stage === "unsent").map(({ announcement }) => announcement);
}

function hear(was: Series, input: SeriesInput, now: Reading): Move {
  switch (input.is) {
    case "announced":
      return announce(was, input, now);
    case "answered":
      return answer(was, input, now.monotonicMs);
    case "woken":
      return { series: { ...was, notBefore: Number.NEGATIVE_INFINITY }, actions: [] };
    case "due":
      return { series: was, actions: [] };
    case "stopping":
      return { series: { ...was, isStopping: true }, actions: [] };
  }
}

type Announced = Extract<SeriesInput, { is: "announced" }>;

function announce(was: Series, { name, announcement }: Announced, now: Reading): Move {
  if (was.isStopping) return { series: was, actions: [lose("stopped", announcement, "the process stops")] };
  const known = was.entries.get(name);
  const said = was.busy?.name === name ? was.busy.said : 0;
  const isPaid = known !== undefined && known.untold > said; // the raise that is due carries this one too
  const buckets = isPaid ? was.buckets : pay(was.buckets, announcement, now.monotonicMs);
  if (buckets === undefined) {
    return { series: was, actions: [lose("throttled", announcement, "too many about this subject")] };
  }
  const entry = known === undefined ? firstTime(announcement, now) : repeated(known, was.repeatMs, now);
  const entries = new Map(was.entries);
  entries.delete(name); // to the end
  const { kept, dropped } = bound(entries.set(name, entry), was.busy?.name);
  const actions = dropped.map((one) => lose("overflow", one, "too many wait to be sent"));
  return { series: { ...was, buckets, entries: kept }, actions };
}

function answer(was: Series, { writing, isParked }: Extract<SeriesInput, { is: "answered" }>, now: number): Move {
  const { busy, ...idle } = was;
  const entry = was.entries.get(busy?.name ?? "");
  if (busy === undefined || entry === undefined) return { series: idle, actions: [] };
  if (writing.kind === "unavailable") {
    const pause = Math.min(backoffMs.cap, backoffMs.first * 2 ** was.failures);
    const notBefore = isParked ? Number.POSITIVE_INFINITY : now + Math.max(pause, writing.retryInMs ?? 0);
    return { series: { ...idle, failures: was.failures + 1, notBefore }, actions: [] };
  }
  const next = judgeWrite({ entry, said: busy.said, writing, repeatMs: was.repeatMs, now });
  const entries = new Map(was.entries);
  if (typeof next === "string") entries.delete(busy.name);
  else entries.set(busy.name, next);
  const actions = typeof next === "string" ? [lose("refused", entry.announcement, next)] : [];
  return { series: { ...idle, entries, failures: 0 }, actions };
}

function proceed(series: Series, now: number): Move {
  const next = nextOf(series);
  if (next === undefined) return { series, actions: [] };
  const [name, entry] = next;
  const at = Math.max(entry.dueAt, series.notBefore);
  if (at > now) return { series, actions: at < Infinity ? [{ do: "wait", ms: at - now }] : [] };
  const said = entry.stage === "told" ? entry.untold : 0;
  return { series: { ...series, busy: { name, said } }, actions: [writeOf(name, entry)] };
}

// A process that stops has no time for series.
function nextOf({ entries, isStopping }: Series): readonly [string, Entry] | undefined {
  let first: readonly [string, Entry] | undefined;
  for (const one of entries) {
    const [, { dueAt, stage }] = one;
    const mayGo = dueAt < Infinity && (!isStopping || stage === "unsent");
    if (mayGo && (first === undefined || dueAt < first[1].dueAt)) first = one;
  }
  return first;
}

function lose(why: Loss, announcement: Announcement, message: string): SeriesAction {
  return { do: "lose", why, announcement, message };
}
