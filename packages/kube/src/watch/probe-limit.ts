// Lets a few probes run at a time, each for a bounded time: a server in trouble is not asked by everybody at once.

import type { Clock } from "../clock.ts";
import type { Probed } from "./reflector-state.ts";

const atOnce = 4;
const patienceMs = 10_000;

export class ProbeLimit {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run(signal: AbortSignal, probe: (signal: AbortSignal) => Promise<Probed>): Promise<Probed> {
    if (this.#running >= atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    const late = new AbortController();
    const cancel = this.#clock.schedule(patienceMs, () => late.abort());
    try {
      return await probe(AbortSignal.any([signal, late.signal]));
    } finally {
      cancel();
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}
