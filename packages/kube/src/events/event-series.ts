// Decides the next write for recorded events: create, read back, or update the count of a series. Does no I/O.

import type { KubeObject, WriteResult } from "@virt/objects";
import type { ClockReading } from "../clock.ts";
import { combineEvents, EventCorrelator, type EventInput, EventRateLimiter } from "./event-correlator.ts";

export type EventLossReason = "throttled" | "overflow" | "refused" | "stopped";

export type SeriesInput =
  | { readonly is: "recorded"; readonly event: EventInput }
  /** `isParked`: a breaker is open, so nothing is sent until `woken`. */
  | { readonly is: "answered"; readonly writing: WriteResult; readonly isParked: boolean }
  | { readonly is: "woken" }
  | { readonly is: "due" }
  | { readonly is: "stopping" };

export type SeriesAction =
  | EventWrite
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "lose"; readonly why: EventLossReason; readonly event: EventInput; readonly message: string };

const backoffMs = { first: 1_000, cap: 30_000 };

export class EventSeries {
  readonly #repeatMs: number;
  readonly #nameOf: (event: EventInput) => string;
  readonly #book = new EventCorrelator();
  readonly #allowance = new EventRateLimiter();
  /** The write in progress. `carried` is the number of repetitions that it includes. */
  #busy: { readonly name: string; readonly carried: number } | undefined;
  #failures = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  /** Updates a series at most once in `repeatMs`. `nameOf` must return different names for different events. */
  constructor(repeatMs: number, nameOf: (event: EventInput) => string) {
    this.#repeatMs = repeatMs;
    this.#nameOf = nameOf;
  }

  get isBusy(): boolean {
    return this.#busy !== undefined;
  }

  get isAllWritten(): boolean {
    return this.#busy === undefined && this.#book.isAllSent;
  }

  get unsent(): readonly EventInput[] {
    return this.#book.unsent;
  }

  get size(): number {
    return this.#book.size;
  }

  /**
   * Returns the next actions. At most one write is in flight, and `wait` is returned only if none is. An empty result
   * means that nothing is pending.
   */
  step(input: SeriesInput, now: ClockReading): readonly SeriesAction[] {
    const lost = this.#apply(input, now);
    return this.#busy === undefined ? [...lost, ...this.#proceed(now.monotonicMs)] : lost;
  }

  #apply(input: SeriesInput, now: ClockReading): readonly SeriesAction[] {
    switch (input.is) {
      case "recorded":
        return this.#record(input, now);
      case "answered":
        return this.#answer(input, now.monotonicMs);
      case "woken":
        this.#notBefore = Number.NEGATIVE_INFINITY;
        return [];
      case "due":
        return [];
      case "stopping":
        this.#isStopping = true;
        return [];
    }
  }

  #record({ event }: Extract<SeriesInput, { is: "recorded" }>, now: ClockReading): readonly SeriesAction[] {
    if (this.#isStopping) return [lose("stopped", event, "process is shutting down")];
    const name = this.#nameOf(event);
    if (this.#isPaid(name) || this.#mayWrite(name, event, now)) this.#put(name, event, now);
    else if (event.priority === "routine") return [lose("throttled", event, "too many events about this object")];
    else this.#combine(event, now);
    return this.#book
      .bound(this.#busy?.name)
      .map((one) => lose("overflow", one, "too many events are waiting for the API server"));
  }

  /** Reports whether the next write for the entry includes this repetition anyway, so that it needs no rate limit token. */
  #isPaid(name: string): boolean {
    const known = this.#book.find(name);
    return known !== undefined && known.unwritten > (this.#busy?.name === name ? this.#busy.carried : 0);
  }

  #mayWrite(name: string, event: EventInput, now: ClockReading): boolean {
    const isCrowdedOut = event.priority === "important" && this.#book.isCrowded && this.#book.find(name) === undefined;
    return !isCrowdedOut && this.#allowance.allow(event, now.monotonicMs);
  }

  #combine(event: EventInput, now: ClockReading): void {
    const combined = combineEvents(event);
    this.#put(this.#nameOf({ ...combined, note: "" }), combined, now);
  }

  #put(name: string, event: EventInput, now: ClockReading): void {
    const known = this.#book.find(name);
    this.#book.put(name, known === undefined ? newEntry(event, now) : repeatEntry(known, this.#repeatMs, now));
  }

  #answer({ writing, isParked }: Extract<SeriesInput, { is: "answered" }>, now: number): readonly SeriesAction[] {
    const busy = this.#busy;
    this.#busy = undefined;
    const entry = this.#book.find(busy?.name ?? "");
    if (busy === undefined || entry === undefined) return [];
    if (writing.kind === "unavailable") {
      const pause = Math.min(backoffMs.cap, backoffMs.first * 2 ** this.#failures++);
      this.#notBefore = isParked ? Number.POSITIVE_INFINITY : now + Math.max(pause, writing.retryInMs ?? 0);
      return [];
    }
    this.#failures = 0;
    const next = recordWriteResult({ entry, carried: busy.carried, writing, repeatMs: this.#repeatMs, now });
    if (typeof next !== "string") this.#book.put(busy.name, next);
    else this.#book.remove(busy.name);
    return typeof next === "string" ? [lose("refused", entry.input, next)] : [];
  }

  #proceed(now: number): readonly SeriesAction[] {
    const next = this.#book.next(this.#isStopping);
    if (next === undefined) return [];
    const [name, entry] = next;
    const at = Math.max(entry.dueAt, this.#notBefore);
    if (at > now) return at < Infinity ? [{ do: "wait", ms: at - now }] : [];
    this.#busy = { name, carried: entry.stage === "written" ? entry.unwritten : 0 };
    return [nextWriteOf(name, entry)];
  }
}

function lose(why: EventLossReason, event: EventInput, message: string): SeriesAction {
  return { do: "lose", why, event, message };
}

/**
 * An event. `unsent`: not created yet. `unread`: it already existed, so its count is unknown. `written`: the server has
 * `count`. `unwritten` is the number of repetitions that the server does not have yet. If `dueAt` is infinite, nothing
 * is pending.
 */
export type EventEntry = {
  readonly input: EventInput;
  readonly stage: "unsent" | "unread" | "written";
  readonly count: number;
  readonly unwritten: number;
  readonly firstWallMs: number;
  readonly lastWallMs: number;
  readonly wroteAt: number;
  readonly dueAt: number;
};

export type EventWrite = { readonly name: string; readonly input: EventInput } & (
  | { readonly do: "create"; readonly wallMs: number }
  | { readonly do: "read" }
  | { readonly do: "raise"; readonly count: number; readonly wallMs: number }
);

function newEntry(event: EventInput, { monotonicMs, wallMs }: ClockReading): EventEntry {
  const times = { firstWallMs: wallMs, lastWallMs: wallMs, wroteAt: Number.NEGATIVE_INFINITY, dueAt: monotonicMs };
  return { input: event, stage: "unsent", count: 0, unwritten: 0, ...times };
}

function repeatEntry(was: EventEntry, repeatMs: number, { monotonicMs, wallMs }: ClockReading): EventEntry {
  const isDueAlready = was.stage === "unsent" || was.unwritten > 0;
  const dueAt = isDueAlready ? was.dueAt : Math.max(monotonicMs, was.wroteAt + repeatMs);
  return { ...was, unwritten: was.unwritten + 1, lastWallMs: wallMs, dueAt };
}

function nextWriteOf(name: string, entry: EventEntry): EventWrite {
  const { input, stage, count, unwritten, firstWallMs, lastWallMs } = entry;
  switch (stage) {
    case "unsent":
      return { do: "create", name, input, wallMs: firstWallMs };
    case "unread":
      return { do: "read", name, input };
    case "written":
      return { do: "raise", name, input, count: count + unwritten, wallMs: lastWallMs };
  }
}

export type WrittenEntry = {
  readonly entry: EventEntry;
  readonly carried: number;
  readonly writing: Exclude<WriteResult, { kind: "unavailable" }>;
  readonly repeatMs: number;
  readonly now: number;
};

function recordWriteResult({ entry, carried, writing, repeatMs, now }: WrittenEntry): EventEntry | string {
  switch (writing.kind) {
    case "done":
      return entry.stage === "unread" ? read(entry, writing.live) : rest(written(entry, carried), repeatMs, now);
    case "stale": // a create found the event in place, such as after a restart
      return rest(entry.stage === "unsent" ? { ...entry, stage: "unread" } : entry, repeatMs, now);
    case "absent":
      return entry.stage === "unsent" ? "its namespace does not exist" : anew(entry, now);
    case "missing":
      return `its ${writing.what} does not exist`;
    case "rejected":
      return writing.message;
    case "conflict":
      return "field manager conflict";
  }
}

function read(entry: EventEntry, live: KubeObject | undefined): EventEntry {
  return { ...entry, stage: "written", count: seriesCount(live) };
}

function seriesCount(event: KubeObject | undefined): number {
  const { count } = (event?.["series"] ?? {}) as { readonly count?: number };
  return count ?? 1;
}

function written(entry: EventEntry, carried: number): EventEntry {
  const count = entry.stage === "unsent" ? 1 : entry.count + carried;
  return { ...entry, stage: "written", count, unwritten: entry.unwritten - carried };
}

function rest(entry: EventEntry, repeatMs: number, now: number): EventEntry {
  return { ...entry, wroteAt: now, dueAt: entry.unwritten > 0 ? now + repeatMs : Number.POSITIVE_INFINITY };
}

// The API server deletes events after an hour, so this creates the event again.
function anew(entry: EventEntry, now: number): EventEntry {
  return { ...entry, stage: "unsent", count: 0, unwritten: 0, firstWallMs: entry.lastWallMs, dueAt: now };
}
