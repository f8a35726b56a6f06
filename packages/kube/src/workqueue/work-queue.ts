// The work queue. It contains each key at most once, never gives a key to two workers, and retries failures with
// backoff.

import type { Cancel, Clock } from "../clock.ts";

/** Receives the values for `workqueue_adds_total`, `_retries_total`, `_queue_duration_seconds` and `_work_duration_seconds`. */
export type WorkQueueObserver = {
  readonly added: () => void;
  /** Called only for failures, unlike client-go's metric, which counts all delayed adds. */
  readonly retried: () => void;
  /** The time from the first add of the key until it was taken. */
  readonly taken: (seconds: number) => void;
  readonly worked: (seconds: number) => void;
};

/** The values for `workqueue_depth`, `_unfinished_work_seconds` and `_longest_running_processor_seconds`. */
export type WorkQueueState = {
  readonly depth: number;
  readonly unfinishedSeconds: number;
  readonly longestRunningSeconds: number;
};

export type WorkQueueOptions = {
  readonly clock: Clock;
  /** Returns a number in [0, 1), such as `Math.random`. */
  readonly chance: () => number;
  readonly observer: WorkQueueObserver;
};

/**
 * A key that is added while in progress is queued again when it is done. Each `take` requires a `done`. `shutDown`
 * drops delayed keys and ignores later adds, but queued keys can still be taken.
 */
export class WorkQueue {
  readonly #parts: WorkQueueOptions;
  // The keys to reconcile by arrival, with the times of their adds. Includes keys in progress that were added again.
  readonly #dirty = new Map<string, number>();
  readonly #ready = new Set<string>();
  readonly #inWork = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  readonly #delayed = new DelayQueue();
  #timer: { readonly at: number; readonly cancel: Cancel } | undefined;
  #onReady: () => void = () => undefined;
  #isShutDown = false;

  constructor(parts: WorkQueueOptions) {
    this.#parts = parts;
  }

  /** Calls `onReady` synchronously when a key can be taken. Replaces the listener. */
  listen(onReady: () => void): void {
    this.#onReady = onReady;
  }

  add(key: string): void {
    if (this.#isShutDown || this.#dirty.has(key)) return;
    this.#parts.observer.added();
    this.#dirty.set(key, this.#now);
    if (!this.#inWork.has(key)) this.#offer(key);
  }

  /** Adds the key after a delay. If it is already delayed, the earlier time applies. `add` does not cancel the delay. */
  addAfter(key: string, ms: number): void {
    if (this.#isShutDown) return;
    if (ms <= 0) return this.add(key);
    this.#delayed.set(key, this.#now + ms);
    this.#setTimer();
  }

  /** The key returns after its backoff, or after `retryInMs` if that is longer. */
  fail(key: string, retryInMs = 0): void {
    if (this.#isShutDown) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#parts.observer.retried();
    this.addAfter(key, Math.max(backoffMs(failures, this.#parts.chance()), retryInMs));
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  take(): string | undefined {
    const [key] = this.#ready;
    if (key === undefined) return undefined;
    this.#parts.observer.taken((this.#now - (this.#dirty.get(key) ?? this.#now)) / 1000);
    this.#ready.delete(key);
    this.#dirty.delete(key);
    this.#inWork.set(key, this.#now);
    return key;
  }

  done(key: string): void {
    const since = this.#inWork.get(key);
    if (since === undefined) return;
    this.#parts.observer.worked((this.#now - since) / 1000);
    this.#inWork.delete(key);
    if (this.#dirty.has(key)) this.#offer(key);
  }

  shutDown(): void {
    this.#isShutDown = true;
    this.#delayed.clear();
    this.#setTimer();
  }

  get state(): WorkQueueState {
    const ages = [...this.#inWork.values()].map((since) => (this.#now - since) / 1000);
    return {
      depth: this.#dirty.size,
      unfinishedSeconds: ages.reduce((sum, age) => sum + age, 0),
      longestRunningSeconds: Math.max(0, ...ages),
    };
  }

  get #now(): number {
    return this.#parts.clock.monotonic();
  }

  #offer(key: string): void {
    this.#ready.add(key);
    this.#onReady();
  }

  #setTimer(): void {
    const at = this.#delayed.next;
    if (this.#timer?.at === at) return;
    this.#timer?.cancel();
    this.#timer =
      at === undefined ? undefined : { at, cancel: this.#parts.clock.schedule(at - this.#now, () => this.#addDue()) };
  }

  #addDue(): void {
    this.#timer = undefined;
    for (const key of this.#delayed.take(this.#now)) this.add(key);
    this.#setTimer();
  }
}

const firstMs = 5;
const capMs = 30_000;
const spread = 0.2;

/**
 * Returns the backoff in milliseconds after `failures` consecutive failures, at least 1. It starts at 5 ms and doubles
 * each time, up to 30 s, with 20% jitter. `chance` is in [0, 1).
 */
export function backoffMs(failures: number, chance: number): number {
  const planned = Math.min(capMs, firstMs * 2 ** (failures - 1));
  return Math.min(capMs, planned * (1 - spread + 2 * spread * chance));
}

type Entry = { readonly key: string; readonly at: number; readonly arrival: number };

/** Stores one due time per key. The earliest time wins. */
class DelayQueue {
  readonly #due = new Map<string, number>();
  // A binary heap. An entry is stale if its key now has a different due time.
  readonly #heap: Entry[] = [];
  #arrivals = 0;

  /** Has no effect if the key is due earlier. */
  set(key: string, at: number): void {
    const known = this.#due.get(key);
    if (known !== undefined && known <= at) return;
    this.#due.set(key, at);
    this.#heap.push({ key, at, arrival: this.#arrivals++ });
    this.#rise(this.#heap.length - 1);
  }

  get next(): number | undefined {
    this.#dropStale();
    return this.#heap[0]?.at;
  }

  take(now: number): readonly string[] {
    const keys: string[] = [];
    for (let at = this.next; at !== undefined && at <= now; at = this.next) {
      const [{ key } = { key: "" }] = this.#heap;
      this.#due.delete(key);
      keys.push(key);
    }
    return keys;
  }

  clear(): void {
    this.#due.clear();
    this.#heap.length = 0;
  }

  #dropStale(): void {
    for (let top = this.#heap[0]; top !== undefined && this.#due.get(top.key) !== top.at; top = this.#heap[0]) {
      const last = this.#heap.pop();
      if (last === undefined || this.#heap.length === 0) return;
      this.#heap[0] = last;
      this.#sink(0);
    }
  }

  #rise(place: number): void {
    for (let child = place; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!this.#isEarlier(child, parent)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  #sink(place: number): void {
    for (let parent = place; ; ) {
      const left = 2 * parent + 1;
      const child = this.#isEarlier(left + 1, left) ? left + 1 : left;
      if (!this.#isEarlier(child, parent)) return;
      this.#swap(child, parent);
      parent = child;
    }
  }

  #isEarlier(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.at === b.at ? a.arrival < b.arrival : a.at < b.at;
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
