// What stands between a writer and the API server. The fence of a controller closes in time, whatever happened to the process or its
// clocks; every write names its gate, there is no default.

import { advanceElapsed, type Cancel, type Clock, type Elapsed, startElapsed } from "../clock.ts";

/** Nominal: an object that merely looks like a gate is none, so that a write under no lease is always one by name. */
export abstract class WriteGate {
  declare protected readonly isWriteGate: true;

  /** Asked synchronously, right before a write goes to the socket. */
  abstract mayWrite(): boolean;

  /** Tells at once whether it is open, then each change. Returns the end of it. */
  abstract subscribe(listener: (isOpen: boolean) => void): () => void;
}

class NoLease extends WriteGate {
  mayWrite(): boolean {
    return true;
  }

  subscribe(listener: (isOpen: boolean) => void): () => void {
    listener(true);
    return () => undefined;
  }
}

/**
 * For what is written under no lease, and only for that: the lease itself, reviews that store nothing, a command that a
 * person runs, a process without leader election.
 */
export const noLease: WriteGate = new NoLease();

/** What the clocks do between two readings can hide from `advanceElapsed`. */
const checkEveryMs = 1_000;

export type WriteFenceOptions = {
  readonly clock: Clock;
  /** The renew deadline: how long a renewal counts from when it was sent. Less than the lease's duration. */
  readonly deadlineMs: number;
};

/**
 * Closed until the first renewal. When the last successful renewal was sent `deadlineMs` ago it closes, and stays closed
 * until the next one. Time is the larger of monotonic and wall time, see `advanceElapsed`. Nothing needs to run for it to be
 * closed in time: `mayWrite` reads the clocks itself, so a process that wakes from a freeze may not write. If it finds the
 * time over, subscribers are notified before it returns.
 */
export class WriteFence extends WriteGate {
  readonly deadlineMs: number;
  readonly #clock: Clock;
  readonly #listeners = new Set<(isOpen: boolean) => void>();
  #elapsed: Elapsed;
  #isOpen = false;
  #isShut = false;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #timer: Cancel | undefined;

  constructor({ clock, deadlineMs }: WriteFenceOptions) {
    super();
    this.#clock = clock;
    this.deadlineMs = deadlineMs;
    this.#elapsed = startElapsed(this.#reading);
    this.#checkClocks();
  }

  mayWrite(): boolean {
    if (this.#leftMs <= 0) this.close();
    return this.#isOpen;
  }

  subscribe(listener: (isOpen: boolean) => void): () => void {
    this.#listeners.add(listener);
    listener(this.mayWrite());
    return () => void this.#listeners.delete(listener);
  }

  /** To be taken right before a renewal is sent, and given to `renewed` if it succeeds. */
  mark(): number {
    this.#elapsed = advanceElapsed(this.#elapsed, this.#reading);
    return this.#elapsed.totalMs;
  }

  /** Opens the fence, unless the answer came too late to be of use. */
  renewed(mark: number): void {
    this.#renewedAt = Math.max(this.#renewedAt, mark);
    if (this.#isOpen || this.#isShut || this.#leftMs <= 0) return;
    this.#isOpen = true;
    this.#checkClocks();
    this.#notify();
  }

  /** Until the next renewal. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#notify();
  }

  /** Closes it for good: the process is about to end, and no renewal opens it again. */
  [Symbol.dispose](): void {
    this.#isShut = true;
    this.#timer?.();
    this.close();
  }

  get #reading() {
    return { monotonicMs: this.#clock.monotonic(), wallMs: this.#clock.wall() };
  }

  get #leftMs(): number {
    return this.#renewedAt + this.deadlineMs - this.mark();
  }

  #checkClocks(): void {
    this.#timer?.();
    const inMs = this.mayWrite() ? Math.min(this.#leftMs, checkEveryMs) : checkEveryMs;
    this.#timer = this.#clock.schedule(inMs, () => this.#checkClocks());
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this.#isOpen);
  }
}
