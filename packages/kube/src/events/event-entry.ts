// The life of one event: created, found to be there already, repeated, forgotten by the server.

import type { KubeObject } from "@virt/engine";
import type { Reading } from "../lease/elapsed.ts";
import type { Writing } from "../wire/outcome.ts";
import { type Announcement, seriesCount } from "./event-object.ts";

/**
 * `unsent`: to be created. `unread`: it was there before us, so its count is not known. `told`: the server has `count`.
 * `untold` are repetitions that the server has not heard of. While `dueAt` is infinite there is nothing to do.
 */
export type Entry = {
  readonly announcement: Announcement;
  readonly stage: "unsent" | "unread" | "told";
  readonly count: number;
  readonly untold: number;
  readonly firstWallMs: number;
  readonly lastWallMs: number;
  readonly wroteAt: number;
  readonly dueAt: number;
};

export type EventWrite = { readonly name: string; readonly announcement: Announcement } & (
  | { readonly do: "create"; readonly wallMs: number }
  | { readonly do: "read" }
  | { readonly do: "raise"; readonly count: number; readonly wallMs: number }
);

export function firstTime(announcement: Announcement, { monotonicMs, wallMs }: Reading): Entry {
  const times = { firstWallMs: wallMs, lastWallMs: wallMs, wroteAt: Number.NEGATIVE_INFINITY, dueAt: monotonicMs };
  return { announcement, stage: "unsent", count: 0, untold: 0, ...times };
}

export function repeated(was: Entry, repeatMs: number, { monotonicMs, wallMs }: Reading): Entry {
  const isDueAlready = was.stage === "unsent" || was.untold > 0;
  const dueAt = isDueAlready ? was.dueAt : Math.max(monotonicMs, was.wroteAt + repeatMs);
  return { ...was, untold: was.untold + 1, lastWallMs: wallMs, dueAt };
}

export function writeOf(name: string, entry: Entry): EventWrite {
  const { announcement, stage, count, untold, firstWallMs, lastWallMs } = entry;
  switch (stage) {
    case "unsent":
      return { do: "create", name, announcement, wallMs: firstWallMs };
    case "unread":
      return { do: "read", name, announcement };
    case "told":
      return { do: "raise", name, announcement, count: count + untold, wallMs: lastWallMs };
  }
}

export type Judged = {
  readonly entry: Entry;
  /** How many of its repetitions the answered write carried. */
  readonly said: number;
  readonly writing: Exclude<Writing, { kind: "unavailable" }>;
  readonly repeatMs: number;
  readonly now: number;
};

/** The entry as it stands after an answer, or why it is lost. */
export function judgeWrite({ entry, said, writing, repeatMs, now }: Judged): Entry | string {
  switch (writing.kind) {
    case "done":
      return entry.stage === "unread" ? read(entry, writing.live) : rest(told(entry, said), repeatMs, now);
    case "stale": // for a creation it means that the event is there: a restart repeats nothing
      return rest(entry.stage === "unsent" ? { ...entry, stage: "unread" } : entry, repeatMs, now);
    case "absent":
      return entry.stage === "unsent" ? "the API server does not know where to put it" : anew(entry, now);
    case "missing":
      return `there is no such ${writing.what}`;
    case "rejected":
      return writing.message;
    case "conflict":
      return "others own its fields";
  }
}

function read(entry: Entry, live: KubeObject | undefined): Entry {
  return { ...entry, stage: "told", count: seriesCount(live) };
}

function told(entry: Entry, said: number): Entry {
  const count = entry.stage === "unsent" ? 1 : entry.count + said;
  return { ...entry, stage: "told", count, untold: entry.untold - said };
}

function rest(entry: Entry, repeatMs: number, now: number): Entry {
  return { ...entry, wroteAt: now, dueAt: entry.untold > 0 ? now + repeatMs : Number.POSITIVE_INFINITY };
}

// The server forgets events after an hour: what was repeated is the first of its kind again.
function anew(entry: Entry, now: number): Entry {
  return { ...entry, stage: "unsent", count: 0, untold: 0, firstWallMs: entry.lastWallMs, dueAt: now };
}
