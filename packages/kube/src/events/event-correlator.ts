// Combines duplicate events and limits the rate per subject, as client-go does.

import type { EventPriority } from "@virt/api";
import { type Bucket, type BucketRate, fullBucket, isFull, type Ref, takeToken } from "@virt/objects";
import type { EventEntry } from "./event-series.ts";

/** `kubectl describe` finds the events of an object by its uid. */
export type EventSubject = Ref & { readonly uid?: string };

/** Truncates longer strings: `action` at 128 bytes, `note` at 1 KiB. */
export type EventInput = {
  readonly priority: EventPriority;
  readonly regarding: EventSubject;
  readonly related?: EventSubject;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly action: string;
  readonly note: string;
};

const most = { routine: 250, important: 4_000, others: 1_000 };

/** Tracks recent events. Handling an event never scans all others, because there can be thousands. */
export class EventCorrelator {
  // The oldest entry is first in each map.
  readonly #important = new Map<string, EventEntry>();
  readonly #routine = new Map<string, EventEntry>();
  readonly #others = new Map<string, EventEntry>();
  readonly #due = new Set<string>();

  get size(): number {
    return this.#important.size + this.#routine.size + this.#others.size;
  }

  get unsent(): readonly EventInput[] {
    return [...this.#important.values(), ...this.#routine.values()].map(({ input }) => input);
  }

  get isAllSent(): boolean {
    return this.#important.size + this.#routine.size === 0;
  }

  /** True if the number of important events has reached the limit above which new ones are combined. */
  get isCrowded(): boolean {
    return this.#important.size >= most.important;
  }

  find(name: string): EventEntry | undefined {
    return this.#important.get(name) ?? this.#routine.get(name) ?? this.#others.get(name);
  }

  remove(name: string): void {
    this.#important.delete(name);
    this.#routine.delete(name);
    this.#others.delete(name);
    this.#due.delete(name);
  }

  put(name: string, entry: EventEntry): void {
    if (entry.stage === "unsent" && this.find(name)?.stage === "unsent")
      return void this.#laneOf(entry).set(name, entry);
    this.remove(name);
    this.#laneOf(entry).set(name, entry);
    if (entry.stage !== "unsent" && entry.dueAt < Infinity) this.#due.add(name);
  }

  /**
   * Drops the oldest entries, except the one being written and important ones that were not sent. Returns the events
   * that were not completely written.
   */
  bound(busy: string | undefined): readonly EventInput[] {
    const gone = [
      ...excess(this.#routine, { limit: most.routine, busy }),
      ...excess(this.#others, { limit: most.others, busy }),
    ];
    for (const [name] of gone) this.remove(name);
    return gone.filter(([, { dueAt }]) => dueAt < Infinity).map(([, { input }]) => input);
  }

  /** Returns important events first, then the earliest. Skips series updates while stopping. */
  next(isStopping: boolean): readonly [string, EventEntry] | undefined {
    const [important] = this.#important;
    if (important !== undefined) return important;
    let first: readonly [string, EventEntry] | undefined;
    const sooner = (one: readonly [string, EventEntry]) => {
      if (first === undefined || one[1].dueAt < first[1].dueAt) first = one;
    };
    for (const one of this.#routine) sooner(one);
    for (const name of isStopping ? [] : this.#due) {
      const entry = this.#others.get(name);
      if (entry !== undefined) sooner([name, entry]);
    }
    return first;
  }

  #laneOf({ stage, input: { priority } }: EventEntry): Map<string, EventEntry> {
    if (stage !== "unsent") return this.#others;
    return priority === "important" ? this.#important : this.#routine;
  }
}

type Limit = { readonly limit: number; readonly busy: string | undefined };

function excess(
  oldestFirst: ReadonlyMap<string, EventEntry>,
  { limit, busy }: Limit,
): readonly (readonly [string, EventEntry])[] {
  const isBusyIn = busy !== undefined && oldestFirst.has(busy);
  const count = oldestFirst.size - (isBusyIn ? 1 : 0) - limit;
  const found: (readonly [string, EventEntry])[] = [];
  for (const one of oldestFirst) {
    if (found.length >= count) break;
    if (one[0] !== busy) found.push(one);
  }
  return found;
}

const rates: Readonly<Record<EventPriority, BucketRate>> = {
  important: { capacity: 200, refillMs: 30_000 },
  routine: { capacity: 25, refillMs: 300_000 },
};
const fewest = 256;

export class EventRateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  #tidyAt = fewest;

  allow(event: EventInput, now: number): boolean {
    const key = bucketKey(event);
    const rate = rates[event.priority];
    const { granted, bucket } = takeToken(this.#buckets.get(key) ?? fullBucket, rate, now);
    if (!granted) return false;
    this.#buckets.set(key, bucket);
    if (this.#buckets.size >= this.#tidyAt) this.#tidy(now);
    return true;
  }

  // Doubles the threshold after each scan, which keeps the average cost constant.
  #tidy(now: number): void {
    for (const [key, bucket] of this.#buckets) if (isFull(bucket, now)) this.#buckets.delete(key);
    this.#tidyAt = Math.max(fewest, 2 * this.#buckets.size);
  }
}

/**
 * Includes the related object, so that many events about one object do not share a bucket. Important events get a
 * bucket per reason, so that a flood of one kind does not suppress the others.
 */
function bucketKey({ regarding, related, priority, reason }: EventInput): string {
  const about = related === undefined ? subjectKey(regarding) : `${subjectKey(regarding)} ${subjectKey(related)}`;
  return priority === "important" ? `${about} ${reason}` : about;
}

/**
 * Returns the event that represents all subsequent events of a subject and reason. It quotes the first event, because
 * notes are immutable, and its series counts the rest.
 */
export function combineEvents(event: EventInput): EventInput {
  const { regarding, related = regarding, reason, note } = event;
  const how = "Too many events of this kind. This event counts them. The operator's log contains each one.";
  return { ...event, action: `${reason} ${subjectKey(related)} combined`, note: `${how} The first: ${note}` };
}

function subjectKey({ uid, apiVersion, kind, namespace = "", name }: EventSubject): string {
  return uid ?? `${apiVersion}/${kind}/${namespace}/${name}`;
}
