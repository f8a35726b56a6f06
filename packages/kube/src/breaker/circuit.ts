// One breaker: counts unavailable answers in a row, and keeps those who wait for it, in order.

import type { Scope } from "../wire/request.ts";

/** What an unavailable answer said. */
export type Trouble = { readonly message: string; readonly retryInMs?: number };

/** Whoever waits, and how to call it. */
export type Waiter = { readonly name: string; readonly wake: () => void };

const failuresToOpen = 3;

/** How often something is done for those who wait: a trial while open; another batch when closed, if nothing else moves them. */
export const turnMs = 1_000;

export class Circuit {
  readonly scope: Scope;
  readonly #waiting = new Map<string, Waiter>();
  #trial: string | undefined;
  #failures = 0;
  #openSince: number | undefined;
  #notBefore = 0;
  #batch = 1;
  #releasedAt = 0;

  constructor(scope: Scope) {
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
  fail({ retryInMs = 0 }: Trouble, now: number): boolean {
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
    if (!this.isOpen) return this.#releasedAt + turnMs;
    return this.#trial === undefined ? Math.max(nextTrialAt, this.#notBefore) : Number.POSITIVE_INFINITY;
  }
}

export function keyOf({ access, resource }: Scope): string {
  return `${access} ${resource}`;
}
