// One circuit: counts unavailable answers in a row and keeps the parked keys in order; and one attempt to get past it.

import type { BreakerScope } from "../client/request.ts";

/** What an unavailable answer said. */
export type UnavailableAnswer = { readonly message: string; readonly retryInMs?: number };

/** Whoever waits, and how to call it. */
export type Waiter = { readonly name: string; readonly wake: () => void };

const failuresToOpen = 3;

/** How often something is done for those who wait: a trial while open; another batch when closed, if nothing else moves them. */
export const trialIntervalMs = 1_000;

export class Circuit {
  readonly scope: BreakerScope;
  readonly #waiting = new Map<string, Waiter>();
  #trial: string | undefined;
  #failures = 0;
  #openSince: number | undefined;
  #notBefore = 0;
  #batch = 1;
  #releasedAt = 0;

  constructor(scope: BreakerScope) {
    this.scope = scope;
  }

  get isOpen(): boolean {
    return this.#openSince !== undefined;
  }

  /** Nothing to remember: may be dropped. */
  get isIdle(): boolean {
    return !this.isOpen && this.#failures === 0 && this.#waiting.size === 0;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  openForMs(now: number): number {
    return now - (this.#openSince ?? now);
  }

  /** Says whether this answer opened it. */
  fail({ retryInMs = 0 }: UnavailableAnswer, now: number): boolean {
    this.#failures += 1;
    this.#notBefore = Math.max(this.#notBefore, now + retryInMs);
    if (this.isOpen || this.#failures < failuresToOpen) return false;
    this.#openSince = now;
    return true;
  }

  /** Says whether this answer closed it. */
  succeed(): boolean {
    const wasOpen = this.isOpen;
    this.#failures = 0;
    this.#openSince = undefined;
    this.#notBefore = 0;
    this.#trial = undefined;
    if (wasOpen) this.#batch = 1;
    return wasOpen;
  }

  wait(waiter: Waiter): void {
    this.#waiting.set(waiter.name, waiter);
  }

  /** It is not there any more: it neither waits nor has a trial. */
  forget(name: string): void {
    this.#waiting.delete(name);
    if (this.#trial === name) this.#trial = undefined;
  }

  /** The next batch of those who wait: 1, 2, 4, 8 … */
  release(now: number): readonly Waiter[] {
    if (this.#waiting.size === 0) return [];
    const batch = [...this.#waiting.values()].slice(0, this.#batch);
    for (const { name } of batch) this.#waiting.delete(name);
    this.#batch *= 2;
    this.#releasedAt = now;
    return batch;
  }

  /** Who is to try it. One at a time: a resource that lets requests hang then takes one slot of the loop, not all. */
  startTrial(now: number): Waiter | undefined {
    const [first] = this.#waiting.values();
    if (first === undefined || this.#trial !== undefined || !this.mayBeTried(now)) return undefined;
    this.#waiting.delete(first.name);
    this.#trial = first.name;
    return first;
  }

  /** Not before the time that the server asked for with Retry-After. */
  mayBeTried(now: number): boolean {
    return this.isOpen && this.#notBefore <= now;
  }

  isTriedBy(name: string): boolean {
    return this.#trial === name;
  }

  /** When those who wait have their turn, given the time of the process's next trial. Infinity: not by time. */
  dueAt(nextTrialAt: number): number {
    if (this.#waiting.size === 0) return Number.POSITIVE_INFINITY;
    if (!this.isOpen) return this.#releasedAt + trialIntervalMs;
    return this.#trial === undefined ? Math.max(nextTrialAt, this.#notBefore) : Number.POSITIVE_INFINITY;
  }
}

export function circuitKey({ access, resource }: BreakerScope): string {
  return `${access} ${resource}`;
}

/** The breakers, as one attempt sees them. */
export type AttemptBreakers = {
  readonly isOpen: (scope: BreakerScope) => boolean;
  /** True if the attempt is on trial: then it sends. Not sooner than the server asked for. */
  readonly letTry: (scope: BreakerScope) => boolean;
  readonly answered: (scope: BreakerScope) => void;
  readonly unavailable: (scope: BreakerScope, answer: UnavailableAnswer) => void;
  /** False: that breaker is closed. */
  readonly park: (scope: BreakerScope, wake: () => void) => boolean;
  readonly leave: () => void;
};

/**
 * Goes to the client with each request of a reconcile. The client asks `admit` right before it sends, and says `answered` or
 * `unavailable` afterwards; nothing of a request that we gave up ourselves.
 *
 * An attempt on trial is let through by any open breaker, but with one request at a time, and only until the first that
 * is unavailable: so a trial costs one failing request, however many a reconcile makes.
 */
export class GuardedAttempt {
  readonly #door: AttemptBreakers;
  // The request that was let through; it stays if the answer is unavailable.
  #trying: string | undefined;
  #lastFailedScope: BreakerScope | undefined;
  #isOver = false;

  constructor(door: AttemptBreakers) {
    this.#door = door;
  }

  isOpen(scope: BreakerScope): boolean {
    return this.#door.isOpen(scope);
  }

  /** "wait": do not send it; for the reconcile this is the same as an unavailable answer. */
  admit(scope: BreakerScope): "go" | "wait" {
    if (!this.#door.isOpen(scope)) return "go";
    if (this.#trying !== undefined || !this.#door.letTry(scope)) {
      this.#lastFailedScope = scope;
      return "wait";
    }
    this.#trying = circuitKey(scope);
    return "go";
  }

  /** Any answer that is not unavailable: a conflict, a refusal or "not found" too. For a stream, its headers. */
  answered(scope: BreakerScope): void {
    this.#lastFailedScope = undefined;
    if (this.#trying === circuitKey(scope)) this.#trying = undefined;
    this.#door.answered(scope);
  }

  unavailable(scope: BreakerScope, answer: UnavailableAnswer): void {
    this.#lastFailedScope = scope;
    this.#door.unavailable(scope, answer);
  }

  /**
   * Ends the attempt, and waits for the breaker if the last that it heard of was an open one: true, and `wake` will be
   * called once, when a new attempt is worth while. False: nothing to wait for, use your own backoff.
   * Whoever is woken and then does not begin an attempt must `withdraw`: it may hold the breaker's only trial.
   */
  park(wake: () => void): boolean {
    if (this.#isOver) return false;
    this.end();
    return this.#lastFailedScope !== undefined && this.#door.park(this.#lastFailedScope, wake);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#door.leave();
  }
}
