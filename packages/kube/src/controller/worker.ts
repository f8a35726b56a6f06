// Runs reconciles of the keys of a queue: a few at once, only while the write gate is open, each within its deadline.

import type { Breakers } from "../circuitbreaker/breaker.ts";
import type { GuardedAttempt } from "../circuitbreaker/circuit.ts";
import { type Cancel, type Clock, sleep } from "../clock.ts";
import type { WriteGate } from "../leaderelection/write-fence.ts";
import type { WorkQueue } from "../workqueue/work-queue.ts";

export type WorkerObserver = { readonly ended: (report: ReconcileReport) => void };

export type WorkerOptions = {
  /** The controller: keys of two controllers may be equal. */
  readonly name: string;
  readonly queue: WorkQueue;
  readonly gate: WriteGate;
  readonly breakers: Breakers;
  readonly clock: Clock;
  readonly observer: WorkerObserver;
  readonly reconcile: Reconcile;
};

const atOnce = 4;
const deadlineMs = 60_000;
const graceMs = 10_000;
/** For a reconcile that is slow to end after its signal was aborted. */
const abortGraceMs = 1_000;

/** Runs from its construction until `stop`. */
export class Worker {
  readonly #parts: WorkerOptions;
  readonly #running: ActiveReconciles;
  // Parked keys, and those that were woken and have not run yet: they may have the trial.
  readonly #parkedKeys = new Set<string>();
  readonly #unsubscribe: () => void;
  #isStopping = false;
  #isPumpSet = false;

  constructor(parts: WorkerOptions) {
    this.#parts = parts;
    this.#running = new ActiveReconciles(parts.clock, deadlineMs);
    parts.queue.listen(() => this.#setPump());
    this.#unsubscribe = parts.gate.subscribe((isOpen) => (isOpen ? this.#setPump() : this.#interrupt()));
  }

  /** The age of the oldest reconcile, 0 if none runs. */
  get oldestReconcileMs(): number {
    return this.#running.oldestMs;
  }

  /**
   * No new reconciles from now on. Running ones get 10 s, then their signal; the signal given here makes that come at once.
   * Settles when all have ended, or a second after their signal was aborted.
   */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopping = true;
    this.#releaseParkedKeys();
    this.#parts.queue.shutDown();
    await this.#running.idleWithin(graceMs, signal);
    this.#running.abortAll("process is shutting down");
    await this.#running.idleWithin(abortGraceMs, new AbortController().signal);
    this.#unsubscribe();
  }

  // Keys are added in the middle of other people's work: a reconcile starts when that is finished.
  #setPump(): void {
    if (this.#isPumpSet) return;
    this.#isPumpSet = true;
    queueMicrotask(() => {
      this.#isPumpSet = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (!this.#isStopping && this.#running.size < atOnce && this.#parts.gate.mayWrite()) {
      const key = this.#parts.queue.take();
      if (key === undefined) return;
      void this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    const { queue, observer, breakers, reconcile } = this.#parts;
    const signal = this.#running.begin(key);
    this.#parkedKeys.delete(key);
    const attempt = breakers.begin(this.#nameOf(key));
    const result = await runReconcile(() => reconcile(key, signal, attempt), signal);
    const outcome = this.#finish(key, result, attempt);
    attempt.end();
    queue.done(key);
    const durationMs = this.#running.end(key);
    this.#setPump();
    observer.ended({ key, outcome, durationMs, ...("cause" in result && { cause: result.cause }) });
  }

  /** Requeues or forgets the key; returns how the reconcile ended. */
  #finish(
    key: string,
    result: ReconcileResult | ThrownReconcile | InterruptedReconcile,
    attempt: GuardedAttempt,
  ): ReconcileOutcomeKind {
    const { queue, clock } = this.#parts;
    switch (result.kind) {
      case "done":
        queue.forget(key);
        break;
      case "requeueAt":
        queue.forget(key);
        queue.addAfter(key, result.atMs - clock.wall());
        break;
      case "retry":
        if (!this.#isStopping && attempt.park(() => queue.add(key))) {
          this.#parkedKeys.add(key);
          return "parked";
        }
        queue.fail(key, result.retryInMs);
        break;
      case "threw":
      case "late":
        queue.fail(key);
        break;
      case "interrupted":
        queue.add(key);
    }
    return result.kind;
  }

  #interrupt(): void {
    this.#running.abortAll("lost leadership");
    this.#releaseParkedKeys();
  }

  // A trial must not stay with a key that cannot use it.
  #releaseParkedKeys(): void {
    for (const key of this.#parkedKeys) {
      this.#parts.breakers.withdraw(this.#nameOf(key));
      this.#parts.queue.add(key);
    }
    this.#parkedKeys.clear();
  }

  #nameOf(key: string): string {
    return `${this.#parts.name}/${key}`;
  }
}

/**
 * `requeueAt`: at that wall time, in milliseconds; like `done` it resets the key's backoff.
 * `retry`: after the key's backoff, or after `retryInMs` where the server named a delay.
 */
export type ReconcileResult =
  | { readonly kind: "done" }
  | { readonly kind: "requeueAt"; readonly atMs: number }
  | { readonly kind: "retry"; readonly retryInMs?: number };

/**
 * The signal ends it: after 60 s, when the gate closes, or when the process stops. The attempt goes to the client with
 * every request. A throw is a bug, unless the signal was aborted.
 */
export type Reconcile = (key: string, signal: AbortSignal, attempt: GuardedAttempt) => Promise<ReconcileResult>;

/**
 * `parked`: a retry that waits for its circuit breaker instead of its backoff. `late`: threw after its deadline.
 * `interrupted`: the gate closed or the process stops; the next leader reconciles the key again.
 */
export type ReconcileOutcomeKind = ReconcileResult["kind"] | "parked" | "threw" | "late" | "interrupted";

/** `cause` is what was thrown. */
export type ReconcileReport = {
  readonly key: string;
  readonly outcome: ReconcileOutcomeKind;
  readonly durationMs: number;
  readonly cause?: unknown;
};

export type ThrownReconcile = { readonly kind: "threw" | "late"; readonly cause: unknown };
export type InterruptedReconcile = { readonly kind: "interrupted" };

const tooLong = "TimeoutError";

function reconcileTimeout(): DOMException {
  return new DOMException("reconcile timed out", tooLong);
}

/** Never rejects. */
async function runReconcile(
  reconcile: () => Promise<ReconcileResult>,
  signal: AbortSignal,
): Promise<ReconcileResult | ThrownReconcile | InterruptedReconcile> {
  const isInterrupted = () => signal.aborted && (signal.reason as Error).name !== tooLong;
  try {
    const result = await reconcile();
    return isInterrupted() ? { kind: "interrupted" } : result;
  } catch (cause) {
    if (isInterrupted()) return { kind: "interrupted" };
    return { kind: signal.aborted ? "late" : "threw", cause };
  }
}

type ActiveReconcile = { readonly since: number; readonly abort: AbortController; readonly cancelLimit: Cancel };

export class ActiveReconciles {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #running = new Map<string, ActiveReconcile>();
  #onIdle: () => void = () => undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  get size(): number {
    return this.#running.size;
  }

  get oldestMs(): number {
    const now = this.#clock.monotonic();
    return Math.max(0, ...[...this.#running.values()].map(({ since }) => now - since));
  }

  /** The signal of the reconcile: aborted when its time is up. */
  begin(key: string): AbortSignal {
    const abort = new AbortController();
    const cancelLimit = this.#clock.schedule(this.#limitMs, () => abort.abort(reconcileTimeout()));
    this.#running.set(key, { since: this.#clock.monotonic(), abort, cancelLimit });
    return abort.signal;
  }

  /** How long it took, in milliseconds. */
  end(key: string): number {
    const { since, cancelLimit } = this.#running.get(key) ?? { since: this.#clock.monotonic() };
    cancelLimit?.();
    this.#running.delete(key);
    if (this.#running.size === 0) this.#onIdle();
    return this.#clock.monotonic() - since;
  }

  abortAll(reason: string): void {
    for (const { abort } of this.#running.values()) abort.abort(new Error(reason));
  }

  /** Settles when none is left, when the time is over, or when the signal is aborted. */
  async idleWithin(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#running.size === 0 || signal.aborted) return;
    const over = new AbortController();
    this.#onIdle = () => over.abort();
    signal.addEventListener("abort", this.#onIdle, { once: true });
    await sleep(this.#clock, ms, over.signal);
    signal.removeEventListener("abort", this.#onIdle);
  }
}
