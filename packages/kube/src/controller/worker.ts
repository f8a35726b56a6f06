// Runs reconciles for the keys of a queue, up to 4 at a time, while the write gate is open.

import { sleep } from "@virt/objects";
import type { Breakers, GuardedAttempt } from "../circuitbreaker/breaker.ts";
import type { Cancel, Clock } from "../clock.ts";
import type { WriteGate } from "../leaderelection/write-fence.ts";
import type { WorkQueue } from "../workqueue/work-queue.ts";

export type WorkerObserver = { readonly ended: (report: ReconcileReport) => void };

export type WorkerOptions = {
  /** The name of the controller, because two controllers may use the same key. */
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
const abortGraceMs = 1_000;

/** Runs from construction until `stop`. */
export class Worker {
  readonly #parts: WorkerOptions;
  readonly #running: ActiveReconciles;
  // Parked keys, and woken keys that have not run yet. Any of them may be the probe for a circuit.
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

  get oldestReconcileMs(): number {
    return this.#running.oldestMs;
  }

  /** Aborts reconciles after 10 s, or immediately if the signal is aborted. Resolves at most 1 s after the abort. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopping = true;
    this.#releaseParkedKeys();
    this.#parts.queue.shutDown();
    await this.#running.idleWithin(graceMs, signal);
    this.#running.abortAll("process is shutting down");
    await this.#running.idleWithin(abortGraceMs, new AbortController().signal);
    this.#unsubscribe();
  }

  // Starts the worker in a microtask, because callers add keys while they are still working.
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

  // Releases keys that will not run, so that they do not remain the probe for a circuit.
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
 * `requeueAt`: wall time in milliseconds. Resets the backoff, as `done` does.
 * `retry`: after the backoff, or after `retryInMs` if the server named a delay.
 */
export type ReconcileResult =
  | { readonly kind: "done" }
  | { readonly kind: "requeueAt"; readonly atMs: number }
  | { readonly kind: "retry"; readonly retryInMs?: number };

/**
 * Reconciles one key. The signal is aborted after 60 s, when the gate closes, or on shutdown. Pass the attempt to the
 * client with each request. An exception is a bug unless the signal is aborted.
 */
export type Reconcile = (key: string, signal: AbortSignal, attempt: GuardedAttempt) => Promise<ReconcileResult>;

/**
 * How a reconcile ended. `parked`: it waits for a circuit breaker instead of a backoff. `late`: it threw after the
 * deadline. `interrupted`: the gate closed or the process stopped, so the next leader reconciles the key.
 */
export type ReconcileOutcomeKind = ReconcileResult["kind"] | "parked" | "threw" | "late" | "interrupted";

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

  begin(key: string): AbortSignal {
    const abort = new AbortController();
    const cancelLimit = this.#clock.schedule(this.#limitMs, () => abort.abort(reconcileTimeout()));
    this.#running.set(key, { since: this.#clock.monotonic(), abort, cancelLimit });
    return abort.signal;
  }

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

  /** Resolves when all are done, after `ms`, or when the signal is aborted. */
  async idleWithin(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#running.size === 0 || signal.aborted) return;
    const over = new AbortController();
    this.#onIdle = () => over.abort();
    signal.addEventListener("abort", this.#onIdle, { once: true });
    await sleep(this.#clock, ms, over.signal);
    signal.removeEventListener("abort", this.#onIdle);
  }
}
