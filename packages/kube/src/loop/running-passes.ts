// The passes that run at the moment: how old they are, how they are told to end, and when none is left.

import { type Cancel, type Clock, sleep } from "../clock.ts";
import { timeIsUp } from "./pass.ts";

type Running = { readonly since: number; readonly abort: AbortController; readonly cancelLimit: Cancel };

export class RunningPasses {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #running = new Map<string, Running>();
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

  /** The signal of the pass: aborted when its time is up. */
  begin(key: string): AbortSignal {
    const abort = new AbortController();
    const cancelLimit = this.#clock.schedule(this.#limitMs, () => abort.abort(timeIsUp()));
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
