// Decides which events are written, and when: each once, repetitions as a series, not too many about one subject.

import type { Reading } from "../lease/elapsed.ts";
import type { Writing } from "../wire/outcome.ts";
import { EventAllowance } from "./event-allowance.ts";
import { EventBook } from "./event-book.ts";
import { type EventWrite, firstTime, judgeWrite, repeated, writeOf } from "./event-entry.ts";
import type { Announcement } from "./event-object.ts";

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

const backoffMs = { first: 1_000, cap: 30_000 };

/** Decides and does nothing else: what happens and what time it is are told, what is to be done is given back. */
export class EventSeries {
  readonly #repeatMs: number;
  readonly #book = new EventBook();
  readonly #allowance = new EventAllowance();
  /** The one whose answer we wait for, and how many of its repetitions that write carries. */
  #busy: { readonly name: string; readonly said: number } | undefined;
  #failures = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  /** A series is raised at most once in this time. */
  constructor(repeatMs: number) {
    this.#repeatMs = repeatMs;
  }

  get isBusy(): boolean {
    return this.#busy !== undefined;
  }

  get isAllSaid(): boolean {
    return this.#busy === undefined && this.#book.isAllSent;
  }

  /** What a process that ends now has never said. */
  get unsent(): readonly Announcement[] {
    return this.#book.unsent;
  }

  get size(): number {
    return this.#book.size;
  }

  /**
   * At most one write is on its way: until it is answered there is neither another nor a `wait`. No `wait` and no write
   * means that there is nothing to do until something is announced.
   */
  step(input: SeriesInput, now: Reading): readonly SeriesAction[] {
    const lost = this.#hear(input, now);
    return this.#busy === undefined ? [...lost, ...this.#proceed(now.monotonicMs)] : lost;
  }

  #hear(input: SeriesInput, now: Reading): readonly SeriesAction[] {
    switch (input.is) {
      case "announced":
        return this.#announce(input, now);
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

  #announce({ name, announcement }: Extract<SeriesInput, { is: "announced" }>, now: Reading): readonly SeriesAction[] {
    if (this.#isStopping) return [lose("stopped", announcement, "the process stops")];
    const known = this.#book.find(name);
    const said = this.#busy?.name === name ? this.#busy.said : 0;
    const isPaid = known !== undefined && known.untold > said; // the raise that is due carries this one too
    if (!isPaid && !this.#allowance.pay(announcement, now.monotonicMs))
      return [lose("throttled", announcement, "too many about this subject")];
    this.#book.put(name, known === undefined ? firstTime(announcement, now) : repeated(known, this.#repeatMs, now));
    return this.#book.bound(this.#busy?.name).map((one) => lose("overflow", one, "too many wait to be sent"));
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
    const next = judgeWrite({ entry, said: busy.said, writing, repeatMs: this.#repeatMs, now });
    if (typeof next !== "string") this.#book.put(busy.name, next);
    else this.#book.remove(busy.name);
    return typeof next === "string" ? [lose("refused", entry.announcement, next)] : [];
  }

  #proceed(now: number): readonly SeriesAction[] {
    const next = this.#book.next(this.#isStopping);
    if (next === undefined) return [];
    const [name, entry] = next;
    const at = Math.max(entry.dueAt, this.#notBefore);
    if (at > now) return at < Infinity ? [{ do: "wait", ms: at - now }] : [];
    this.#busy = { name, said: entry.stage === "told" ? entry.untold : 0 };
    return [writeOf(name, entry)];
  }
}

function lose(why: Loss, announcement: Announcement, message: string): SeriesAction {
  return { do: "lose", why, announcement, message };
}
