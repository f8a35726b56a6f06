// Keeps us quiet while the API server, or one resource of it, is down, and quick when it is up again.

import type { BreakerScope } from "../client/request.ts";
import type { Cancel, Clock } from "../clock.ts";
import {
  type AttemptBreakers,
  Circuit,
  circuitKey,
  GuardedAttempt,
  trialIntervalMs,
  type UnavailableAnswer,
  type Waiter,
} from "./circuit.ts";

/** One call per opening and closing, none per try. */
export type BreakerObserver = {
  /** `message` is what the last unavailable answer said. */
  readonly opened: (scope: BreakerScope, message: string) => void;
  readonly closed: (scope: BreakerScope, openForMs: number) => void;
};

export type BreakerOptions = { readonly clock: Clock; readonly observer: BreakerObserver };

export type OpenBreaker = { readonly scope: BreakerScope; readonly openForMs: number; readonly waiting: number };

/**
 * All breakers of the process, one per scope. A breaker opens after three unavailable answers in a row. From then on those
 * who need it are parked, and once a second one of them is woken, of each open breaker in turn: its real work is the trial.
 * The first answer that is not unavailable closes the breaker. Then every other open one has its trial at once, and
 * those parked here are woken 1, 2, 4, 8 …, a batch with each further success, or each second if there is none.
 *
 * A reconcile of a queue: `begin` with the names of controller and key; give the attempt to the client with each request; then
 * `end()`, or `park(wake)` if the reconcile failed. A stream: the same for each connection, under a name of its own.
 * A name has one attempt at a time.
 */
export class Breakers {
  readonly #parts: BreakerOptions;
  // In the order of their turns: who has had one goes to the end.
  readonly #circuits = new Map<string, Circuit>();
  #nextTrialAt = Number.NEGATIVE_INFINITY;
  #timer: Cancel | undefined;

  constructor(parts: BreakerOptions) {
    this.#parts = parts;
  }

  begin(name: string): GuardedAttempt {
    if (!this.#isOnTrial(name)) this.withdraw(name); // it runs for another reason, so it does not wait
    const door: AttemptBreakers = {
      isOpen: (scope) => this.#circuits.get(circuitKey(scope))?.isOpen === true,
      letTry: (scope) => this.#letTry(name, scope),
      answered: (scope) => this.#answered(scope),
      unavailable: (scope, answer) => this.#unavailable(scope, answer),
      park: (scope, wake) => this.#park(scope, { name, wake }),
      leave: () => this.withdraw(name),
    };
    return new GuardedAttempt(door);
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

  #letTry(name: string, scope: BreakerScope): boolean {
    const mayTry = this.#isOnTrial(name) && this.#circuits.get(circuitKey(scope))?.mayBeTried(this.#now) === true;
    if (mayTry) this.#nextTrialAt = this.#now + trialIntervalMs; // the second counts from the request, not from the waking
    return mayTry;
  }

  #answered(scope: BreakerScope): void {
    const circuit = this.#circuits.get(circuitKey(scope));
    if (circuit === undefined) return;
    const openForMs = circuit.openForMs(this.#now);
    const isClosing = circuit.succeed();
    if (isClosing) this.#parts.observer.closed(scope, openForMs);
    this.#release(circuit);
    if (isClosing) for (const other of this.#all) this.#try(other);
    this.#setTimer();
  }

  #unavailable(scope: BreakerScope, answer: UnavailableAnswer): void {
    const circuit = this.#circuits.get(circuitKey(scope)) ?? new Circuit(scope);
    this.#circuits.set(circuitKey(scope), circuit);
    if (circuit.fail(answer, this.#now)) {
      this.#parts.observer.opened(scope, answer.message);
      this.#nextTrialAt = this.#now + trialIntervalMs;
    }
    this.#setTimer();
  }

  #park(scope: BreakerScope, waiter: Waiter): boolean {
    const circuit = this.#circuits.get(circuitKey(scope));
    if (circuit?.isOpen !== true) return false;
    circuit.wait(waiter);
    this.#setTimer();
    return true;
  }

  #release(circuit: Circuit): void {
    const released = circuit.release(this.#now);
    if (circuit.isIdle) this.#circuits.delete(circuitKey(circuit.scope));
    for (const { wake } of released) wake();
  }

  #try(circuit: Circuit): boolean {
    const waiter = circuit.startTrial(this.#now);
    if (waiter === undefined) return false;
    this.#nextTrialAt = this.#now + trialIntervalMs;
    this.#circuits.delete(circuitKey(circuit.scope));
    this.#circuits.set(circuitKey(circuit.scope), circuit);
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
