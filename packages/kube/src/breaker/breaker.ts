// Keeps us quiet while the API server, or one resource of it, is down, and quick when it is up again.

import type { Cancel, Clock } from "../clock.ts";
import type { Scope } from "../wire/request.ts";
import { Attempt, type Door } from "./attempt.ts";
import { Circuit, keyOf, type Trouble, turnMs, type Waiter } from "./circuit.ts";

/** One call per opening and closing, none per try. */
export type BreakerObserver = {
  /** `message` is what the last unavailable answer said. */
  readonly opened: (scope: Scope, message: string) => void;
  readonly closed: (scope: Scope, openForMs: number) => void;
};

export type BreakerParts = { readonly clock: Clock; readonly observer: BreakerObserver };

export type OpenBreaker = { readonly scope: Scope; readonly openForMs: number; readonly waiting: number };

/**
 * All breakers of the process, one per scope. A breaker opens after three unavailable answers in a row. From then on those
 * who need it are parked, and once a second one of them is woken, of each open breaker in turn: its real work is the trial.
 * The first answer that is not unavailable closes the breaker. Then every other open one has its trial at once, and
 * those parked here are woken 1, 2, 4, 8 …, a batch with each further success, or each second if there is none.
 *
 * A pass of a queue: `begin` with the names of controller and key; give the attempt to the client with each request; then
 * `end()`, or `park(wake)` if the pass failed. A stream: the same for each connection, under a name of its own.
 * A name has one attempt at a time.
 */
export class Breakers {
  readonly #parts: BreakerParts;
  // In the order of their turns: who has had one goes to the end.
  readonly #circuits = new Map<string, Circuit>();
  #nextTrialAt = Number.NEGATIVE_INFINITY;
  #timer: Cancel | undefined;

  constructor(parts: BreakerParts) {
    this.#parts = parts;
  }

  begin(name: string): Attempt {
    if (!this.#isOnTrial(name)) this.withdraw(name); // it runs for another reason, so it does not wait
    const door: Door = {
      isOpen: (scope) => this.#circuits.get(keyOf(scope))?.isOpen === true,
      letTry: (scope) => this.#letTry(name, scope),
      answered: (scope) => this.#answered(scope),
      unavailable: (scope, trouble) => this.#unavailable(scope, trouble),
      park: (scope, wake) => this.#park(scope, { name, wake }),
      leave: () => this.withdraw(name),
    };
    return new Attempt(door);
  }

  /** It waits no more, and a trial that it was woken for goes to another. */
  withdraw(name: string): void {
    for (const circuit of this.#all) circuit.forget(name);
    this.#setTimer();
  }

  /** For a gauge, and for people who ask what is wrong. */
  get open(): readonly OpenBreaker[] {
    const open = this.#all.filter(({ isOpen }) => isOpen);
    return open.map((circuit) => ({
      scope: circuit.scope,
      openForMs: circuit.openForMs(this.#now),
      waiting: circuit.waiting,
    }));
  }

  /** Wakes nobody any more. */
  [Symbol.dispose](): void {
    this.#circuits.clear();
    this.#setTimer();
  }

  get #all(): readonly Circuit[] {
    return [...this.#circuits.values()];
  }

  get #now(): number {
    return this.#parts.clock.monotonic();
  }

  #isOnTrial(name: string): boolean {
    return this.#all.some((circuit) => circuit.isTriedBy(name));
  }

  #letTry(name: string, scope: Scope): boolean {
    const mayTry = this.#isOnTrial(name) && this.#circuits.get(keyOf(scope))?.mayBeTried(this.#now) === true;
    if (mayTry) this.#nextTrialAt = this.#now + turnMs; // the second counts from the request, not from the waking
    return mayTry;
  }

  #answered(scope: Scope): void {
    const circuit = this.#circuits.get(keyOf(scope));
    if (circuit === undefined) return;
    const openForMs = circuit.openForMs(this.#now);
    const isClosing = circuit.succeed();
    if (isClosing) this.#parts.observer.closed(scope, openForMs);
    this.#release(circuit);
    if (isClosing) for (const other of this.#all) this.#try(other);
    this.#setTimer();
  }

  #unavailable(scope: Scope, trouble: Trouble): void {
    const circuit = this.#circuits.get(keyOf(scope)) ?? new Circuit(scope);
    this.#circuits.set(keyOf(scope), circuit);
    if (circuit.fail(trouble, this.#now)) {
      this.#parts.observer.opened(scope, trouble.message);
      this.#nextTrialAt = this.#now + turnMs;
    }
    this.#setTimer();
  }

  #park(scope: Scope, waiter: Waiter): boolean {
    const circuit = this.#circuits.get(keyOf(scope));
    if (circuit?.isOpen !== true) return false;
    circuit.wait(waiter);
    this.#setTimer();
    return true;
  }

  #release(circuit: Circuit): void {
    const released = circuit.release(this.#now);
    if (circuit.isIdle) this.#circuits.delete(keyOf(circuit.scope));
    for (const { wake } of released) wake();
  }

  #try(circuit: Circuit): boolean {
    const waiter = circuit.startTrial(this.#now);
    if (waiter === undefined) return false;
    this.#nextTrialAt = this.#now + turnMs;
    this.#circuits.delete(keyOf(circuit.scope));
    this.#circuits.set(keyOf(circuit.scope), circuit);
    waiter.wake();
    return true;
  }

  #takeTurns(): void {
    const leftOver = this.#all.filter((circuit) => !circuit.isOpen && circuit.dueAt(0) <= this.#now);
    for (const circuit of leftOver) this.#release(circuit);
    if (this.#now >= this.#nextTrialAt) this.#all.some((circuit) => this.#try(circuit));
    this.#setTimer();
  }

  #setTimer(): void {
    this.#timer?.();
    const at = Math.min(...this.#all.map((circuit) => circuit.dueAt(this.#nextTrialAt)));
    const inMs = Math.max(0, at - this.#now);
    this.#timer = at === Infinity ? undefined : this.#parts.clock.schedule(inMs, () => this.#takeTurns());
  }
}
