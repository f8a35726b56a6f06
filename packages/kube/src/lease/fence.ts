// The fence: says whether a controller may still write, whatever happened to the process or its clocks meanwhile.

import type { Cancel, Clock } from "../clock.ts";
import { type Elapsed, observe, startElapsed } from "./elapsed.ts";

/** What stands between a controller and its writes. */
export type Gate = {
  /** Asked synchronously, right before a write goes to the socket. */
  readonly mayWrite: () => boolean;
  /** Tells at once whether it is open, then each change. Returns the end of it. */
  readonly subscribe: (listener: (isOpen: boolean) => void) => () => void;
};

/** For a process that runs without leader election. */
export const openGate: Gate = {
  mayWrite: () => true,
  subscribe: (listener) => {
    listener(true);
    return () => undefined;
  },
};

/** What the clocks do between two looks can hide from `elapsed.ts`. */
const lookEveryMs = 1_000;

export type FenceParts = {
  readonly clock: Clock;
  /** The renew deadline: how long a renewal counts from when it was sent. Less than the lease's duration. */
  readonly deadlineMs: number;
};

/**
 * Closed until the first renewal. When the last successful renewal was sent `deadlineMs` ago it closes, and stays closed
 * until the next one. Time is the larger of monotonic and wall time, see `elapsed.ts`. Nothing needs to run for it to be
 * closed in time: `mayWrite` looks at the clocks itself, so a process that wakes from a freeze is told no. If it finds the
 * time over, subscribers hear of it before it returns.
 */
export class Fence implements Gate {
  readonly deadlineMs: number;
  readonly #clock: Clock;
  readonly #listeners = new Set<(isOpen: boolean) => void>();
  #elapsed: Elapsed;
  #isOpen = false;
  #isShut = false;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #timer: Cancel | undefined;

  constructor({ clock, deadlineMs }: FenceParts) {
    this.#clock = clock;
    this.deadlineMs = deadlineMs;
    this.#elapsed = startElapsed(this.#reading);
    this.#look();
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
    this.#elapsed = observe(this.#elapsed, this.#reading);
    return this.#elapsed.totalMs;
  }

  /** Opens the fence, unless the answer came too late to be of use. */
  renewed(mark: number): void {
    this.#renewedAt = Math.max(this.#renewedAt, mark);
    if (this.#isOpen || this.#isShut || this.#leftMs <= 0) return;
    this.#isOpen = true;
    this.#look();
    this.#tell();
  }

  /** Until the next renewal. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#tell();
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

  #look(): void {
    this.#timer?.();
    const inMs = this.mayWrite() ? Math.min(this.#leftMs, lookEveryMs) : lookEveryMs;
    this.#timer = this.#clock.schedule(inMs, () => this.#look());
  }

  #tell(): void {
    for (const listener of this.#listeners) listener(this.#isOpen);
  }
}
