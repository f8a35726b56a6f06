// Runs passes over the keys of a queue: a few at once, only while the gate is open, none for longer than it may take.

import type { Attempt } from "../breaker/attempt.ts";
import type { Breakers } from "../breaker/breaker.ts";
import type { Clock } from "../clock.ts";
import type { Gate } from "../lease/fence.ts";
import { type Ending, type How, type Interrupted, type Pass, type PassReport, runPass, type Thrown } from "./pass.ts";
import type { Queue } from "./queue.ts";
import { RunningPasses } from "./running-passes.ts";

export type LoopObserver = { readonly ended: (report: PassReport) => void };

export type LoopParts = {
  /** The controller: keys of two loops may be equal. */
  readonly name: string;
  readonly queue: Queue;
  readonly gate: Gate;
  readonly breakers: Breakers;
  readonly clock: Clock;
  readonly observer: LoopObserver;
  readonly pass: Pass;
};

const atOnce = 4;
const passMs = 60_000;
const graceMs = 10_000;
/** For a pass that was told to end and is slow to do so. */
const lastMs = 1_000;

/** Runs from its construction until `stop`. */
export class Loop {
  readonly #parts: LoopParts;
  readonly #running: RunningPasses;
  // Parked keys, and those that were woken and have not run yet: they may hold a trial.
  readonly #guests = new Set<string>();
  readonly #unsubscribe: () => void;
  #isStopping = false;
  #isPumpSet = false;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#running = new RunningPasses(parts.clock, passMs);
    parts.queue.listen(() => this.#setPump());
    this.#unsubscribe = parts.gate.subscribe((isOpen) => (isOpen ? this.#setPump() : this.#interrupt()));
  }

  /** The age of the oldest pass, 0 if none runs. */
  get oldestPassMs(): number {
    return this.#running.oldestMs;
  }

  /**
   * No new passes from now on. Running ones get 10 s, then their signal; the signal given here makes that come at once.
   * Settles when all have ended, or a second after they were told to.
   */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopping = true;
    this.#sendGuestsHome();
    this.#parts.queue.shutDown();
    await this.#running.idleWithin(graceMs, signal);
    this.#running.abortAll("the process stops");
    await this.#running.idleWithin(lastMs, new AbortController().signal);
    this.#unsubscribe();
  }

  // Keys are added in the middle of other people's work: a pass starts when that is finished.
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
    const { queue, observer, breakers, pass } = this.#parts;
    const signal = this.#running.begin(key);
    this.#guests.delete(key);
    const attempt = breakers.begin(this.#nameOf(key));
    const outcome = await runPass(() => pass(key, signal, attempt), signal);
    const how = this.#conclude(key, outcome, attempt);
    attempt.end();
    queue.done(key);
    const durationMs = this.#running.end(key);
    this.#setPump();
    observer.ended({ key, how, durationMs, ...("cause" in outcome && { cause: outcome.cause }) });
  }

  /** Says what happens to the key next, and how the pass ended in the end. */
  #conclude(key: string, outcome: Ending | Thrown | Interrupted, attempt: Attempt): How {
    const { queue, clock } = this.#parts;
    switch (outcome.kind) {
      case "done":
        queue.forget(key);
        break;
      case "again":
        queue.forget(key);
        queue.addAfter(key, outcome.atMs - clock.wall());
        break;
      case "failed":
        if (!this.#isStopping && attempt.park(() => queue.add(key))) {
          this.#guests.add(key);
          return "parked";
        }
        queue.fail(key, outcome.retryInMs);
        break;
      case "threw":
      case "late":
        queue.fail(key);
        break;
      case "interrupted":
        queue.add(key);
    }
    return outcome.kind;
  }

  #interrupt(): void {
    this.#running.abortAll("not the leader any more");
    this.#sendGuestsHome();
  }

  // Nobody may hold a trial who cannot use it.
  #sendGuestsHome(): void {
    for (const key of this.#guests) {
      this.#parts.breakers.withdraw(this.#nameOf(key));
      this.#parts.queue.add(key);
    }
    this.#guests.clear();
  }

  #nameOf(key: string): string {
    return `${this.#parts.name}/${key}`;
  }
}
