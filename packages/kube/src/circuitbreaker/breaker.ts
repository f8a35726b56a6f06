// Circuit breakers. While the API server or a resource does not respond, callers are parked and take turns probing it.

import type { BreakerScope } from "../client/request.ts";
import type { Cancel, Clock } from "../clock.ts";

/** Called when a circuit opens or closes, not for each request. */
export type BreakerObserver = {
  /** `message` is from the last failed request. */
  readonly opened: (scope: BreakerScope, message: string) => void;
  readonly closed: (scope: BreakerScope, openForMs: number) => void;
};

export type BreakerOptions = { readonly clock: Clock; readonly observer: BreakerObserver };

export type OpenBreaker = { readonly scope: BreakerScope; readonly openForMs: number; readonly waiting: number };

export type UnavailableAnswer = { readonly message: string; readonly retryInMs?: number };

/** One reconcile or connection. It asks `admit` before each of its requests, then reports the result. */
export type GuardedAttempt = {
  readonly isOpen: (scope: BreakerScope) => boolean;
  /** "wait": do not send the request, and treat it as unavailable. */
  readonly admit: (scope: BreakerScope) => "go" | "wait";
  /** Call it for any response of the server, including conflicts, rejections, and the headers of a stream. */
  readonly answered: (scope: BreakerScope) => void;
  readonly unavailable: (scope: BreakerScope, answer: UnavailableAnswer) => void;
  /**
   * Ends the attempt. Returns true if its last request met an open circuit. `wake` is then called once, when a new
   * attempt is worthwhile. A woken caller that does not start one must call `withdraw`, because it may be the only
   * probe. Returns false if the caller must use its own backoff.
   */
  readonly park: (wake: () => void) => boolean;
  readonly end: () => void;
};

/** The circuit is open while `openSince` is set. */
type Circuit = {
  readonly scope: BreakerScope;
  /** Wakes parked callers. Keyed by caller, in order of arrival. */
  readonly parked: Map<string, () => void>;
  failures: number;
  openSince: number | undefined;
  /** The caller whose next request probes the open circuit. */
  probe: string | undefined;
  /** No probe is sent before this time, because of a Retry-After header. */
  notBefore: number;
  /** After the circuit closes: how many callers to wake next, and the latest time for it. */
  batch: number;
  batchAt: number;
};

const failuresToOpen = 3;
const intervalMs = 1_000;

/**
 * One circuit per scope, shared by the process. A circuit opens after three failed requests in a row and parks its
 * callers. Once a second, one parked caller of the process is woken as a probe, from each open circuit in turn. It may
 * pass open circuits with one request at a time, until one fails. The first response closes the circuit. Then every
 * other open circuit is probed at once, and the parked callers are woken in batches of 1, 2, 4 …, one batch per
 * response or per second.
 *
 * Each caller has a unique name and one attempt at a time.
 */
export class Breakers {
  readonly #options: BreakerOptions;
  // In probing order: a probed circuit moves to the end.
  readonly #circuits = new Map<string, Circuit>();
  #nextProbeAt = Number.NEGATIVE_INFINITY;
  #timer: Cancel | undefined;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  begin(caller: string): GuardedAttempt {
    if (!this.#isProbe(caller)) this.withdraw(caller);
    // Stays set if the probe fails, so that an attempt costs at most one failed request.
    let probed: string | undefined;
    let lastFailed: BreakerScope | undefined;
    let isOver = false;
    const end = () => {
      if (!isOver) this.withdraw(caller);
      isOver = true;
    };
    return {
      isOpen: (scope) => this.#findOpen(scope) !== undefined,
      admit: (scope) => {
        const circuit = this.#findOpen(scope);
        if (circuit === undefined) return "go";
        if (probed !== undefined || !this.#isProbe(caller) || circuit.notBefore > this.#now) {
          lastFailed = scope;
          return "wait";
        }
        probed = keyOf(scope);
        this.#nextProbeAt = this.#now + intervalMs; // measured from the request, not from the wake-up
        return "go";
      },
      answered: (scope) => {
        lastFailed = undefined;
        if (probed === keyOf(scope)) probed = undefined;
        this.#answered(scope);
      },
      unavailable: (scope, answer) => {
        lastFailed = scope;
        this.#failed(scope, answer);
      },
      park: (wake) => {
        if (isOver) return false;
        end();
        const circuit = lastFailed && this.#findOpen(lastFailed);
        circuit?.parked.set(caller, wake);
        this.#setTimer();
        return circuit !== undefined;
      },
      end,
    };
  }

  /** Removes the caller from waiting and probing. */
  withdraw(caller: string): void {
    for (const circuit of this.#all) {
      circuit.parked.delete(caller);
      if (circuit.probe === caller) circuit.probe = undefined;
    }
    this.#setTimer();
  }

  get open(): readonly OpenBreaker[] {
    return this.#all.flatMap(({ scope, openSince, parked }) =>
      openSince === undefined ? [] : [{ scope, openForMs: this.#now - openSince, waiting: parked.size }],
    );
  }

  /** Stops waking callers. */
  [Symbol.dispose](): void {
    this.#circuits.clear();
    this.#setTimer();
  }

  get #all(): readonly Circuit[] {
    return [...this.#circuits.values()];
  }

  get #now(): number {
    return this.#options.clock.monotonic();
  }

  #findOpen(scope: BreakerScope): Circuit | undefined {
    const circuit = this.#circuits.get(keyOf(scope));
    return circuit?.openSince === undefined ? undefined : circuit;
  }

  #isProbe(caller: string): boolean {
    return this.#all.some(({ probe }) => probe === caller);
  }

  #failed(scope: BreakerScope, { message, retryInMs = 0 }: UnavailableAnswer): void {
    const circuit = this.#circuits.get(keyOf(scope)) ?? newCircuit(scope);
    this.#circuits.set(keyOf(scope), circuit);
    circuit.failures++;
    circuit.notBefore = Math.max(circuit.notBefore, this.#now + retryInMs);
    if (circuit.openSince === undefined && circuit.failures >= failuresToOpen) {
      circuit.openSince = this.#now;
      this.#nextProbeAt = this.#now + intervalMs;
      this.#options.observer.opened(scope, message);
    }
    this.#setTimer();
  }

  #answered(scope: BreakerScope): void {
    const circuit = this.#circuits.get(keyOf(scope));
    if (circuit === undefined) return;
    const { openSince } = circuit;
    circuit.failures = 0;
    circuit.openSince = undefined;
    circuit.probe = undefined;
    circuit.notBefore = 0;
    if (openSince !== undefined) {
      circuit.batch = 1;
      this.#options.observer.closed(scope, this.#now - openSince);
    }
    this.#wakeBatch(circuit);
    if (openSince !== undefined) for (const other of this.#all) this.#startProbe(other);
    this.#setTimer();
  }

  #wakeBatch(circuit: Circuit): void {
    const batch = [...circuit.parked].slice(0, circuit.batch);
    for (const [caller] of batch) circuit.parked.delete(caller);
    if (batch.length > 0) circuit.batch *= 2;
    circuit.batchAt = this.#now + intervalMs;
    if (circuit.parked.size === 0 && circuit.failures === 0) this.#circuits.delete(keyOf(circuit.scope));
    for (const [, wake] of batch) wake();
  }

  /** Starts at most one probe per circuit, so that hanging requests to one resource do not block all workers. */
  #startProbe(circuit: Circuit): boolean {
    const [first] = circuit.parked;
    const isDue = circuit.openSince !== undefined && circuit.probe === undefined && circuit.notBefore <= this.#now;
    if (first === undefined || !isDue) return false;
    const [caller, wake] = first;
    circuit.parked.delete(caller);
    circuit.probe = caller;
    this.#circuits.delete(keyOf(circuit.scope));
    this.#circuits.set(keyOf(circuit.scope), circuit);
    this.#nextProbeAt = this.#now + intervalMs;
    wake();
    return true;
  }

  #wakeDue(): void {
    for (const circuit of this.#all)
      if (circuit.openSince === undefined && this.#dueAt(circuit) <= this.#now) this.#wakeBatch(circuit);
    if (this.#now >= this.#nextProbeAt) this.#all.some((circuit) => this.#startProbe(circuit));
    this.#setTimer();
  }

  #dueAt({ parked, openSince, probe, notBefore, batchAt }: Circuit): number {
    if (parked.size === 0 || probe !== undefined) return Number.POSITIVE_INFINITY;
    return openSince === undefined ? batchAt : Math.max(this.#nextProbeAt, notBefore);
  }

  #setTimer(): void {
    this.#timer?.();
    const at = Math.min(...this.#all.map((circuit) => this.#dueAt(circuit)));
    const inMs = Math.max(0, at - this.#now);
    this.#timer = at === Infinity ? undefined : this.#options.clock.schedule(inMs, () => this.#wakeDue());
  }
}

function newCircuit(scope: BreakerScope): Circuit {
  return {
    scope,
    parked: new Map(),
    failures: 0,
    openSince: undefined,
    probe: undefined,
    notBefore: 0,
    batch: 1,
    batchAt: 0,
  };
}

function keyOf({ access, resource }: BreakerScope): string {
  return `${access} ${resource}`;
}
