// A clock for tests: time moves only when a test moves it, and everything that is due runs in order on the way.

type Timer = { readonly at: number; readonly run: () => void };

/**
 * Fits the clock port of `@virt/kube`. `advance` lets promises settle after each timer and at the end, so that what
 * they schedule in turn is seen; `elapse` does the same in one go, for code without promises.
 */
export class VirtualClock {
  #monotonic = 0;
  #wall: number;
  // In order of time; among equals, in order of arrival.
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

  /** How many timers are waiting: nothing may be left when all is stopped. */
  get scheduled(): number {
    return this.#timers.length;
  }

  /** Milliseconds until the next timer is due, if there is one. */
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

  /** The process is stopped (SIGSTOP): time goes on, and timers run late, with the next `advance`. */
  freeze(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
  }

  /** The machine is suspended: the wall clock goes on, the monotonic one does not. */
  suspend(ms: number): void {
    this.#wall += ms;
  }

  /** Somebody sets the wall clock, forward or (negative) back. */
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

// By then all microtasks have run, however many follow from each other.
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
