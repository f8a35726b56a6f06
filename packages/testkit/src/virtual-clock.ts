// A clock for tests that runs due timers in order.

type Timer = { readonly at: number; readonly run: () => void };

/**
 * Implements `Clock` of `@virt/kube`. `advance` lets promises settle after each timer, so that the timers that they
 * schedule also run. `elapse` is synchronous, for code without promises.
 */
export class VirtualClock {
  #monotonic = 0;
  #wall: number;
  // Ordered by time, then by arrival.
  readonly #timers: Timer[] = [];

  constructor(wall = Date.UTC(2030, 0, 1)) {
    this.#wall = wall;
  }

  wall(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  schedule(ms: number, run: () => void): () => void {
    const timer = { at: this.#monotonic + Math.max(0, Math.ceil(ms)), run };
    const later = this.#timers.findIndex((other) => other.at > timer.at);
    this.#timers.splice(later < 0 ? this.#timers.length : later, 0, timer);
    return () => {
      const place = this.#timers.indexOf(timer);
      if (place >= 0) this.#timers.splice(place, 1);
    };
  }

  /** Must be 0 after everything has stopped. */
  get scheduled(): number {
    return this.#timers.length;
  }

  get nextInMs(): number | undefined {
    const [next] = this.#timers;
    return next === undefined ? undefined : Math.max(0, next.at - this.#monotonic);
  }

  async advance(ms: number): Promise<void> {
    const until = this.#monotonic + ms;
    await settle();
    while (this.#runNext(until)) await settle(); // oxlint-disable-line no-await-in-loop -- one after the other is the point
    this.freeze(until - this.#monotonic);
    await settle();
  }

  elapse(ms: number): void {
    const until = this.#monotonic + ms;
    while (this.#runNext(until));
    this.freeze(until - this.#monotonic);
  }

  /** Simulates a stopped process (SIGSTOP): timers run late at the next `advance`. */
  freeze(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
  }

  /** Simulates a suspended machine: monotonic time stops. */
  suspend(ms: number): void {
    this.#wall += ms;
  }

  stepWall(ms: number): void {
    this.#wall += ms;
  }

  #runNext(until: number): boolean {
    const [next] = this.#timers;
    if (next === undefined || next.at > until) return false;
    this.#timers.shift();
    this.freeze(Math.max(0, next.at - this.#monotonic));
    next.run();
    return true;
  }
}

// A macrotask runs after all pending microtasks.
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
