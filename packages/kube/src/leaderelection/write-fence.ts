// Decides whether a controller may write, even if the process freezes or the clocks jump.

import { advanceElapsed, type Cancel, type Clock, type Elapsed, startElapsed } from "../clock.ts";

/** Abstract class, so that an object of the same shape is not accepted as a gate. */
export abstract class WriteGate {
  declare protected readonly isWriteGate: true;

  /** Called synchronously, immediately before a write reaches the socket. */
  abstract mayWrite(): boolean;

  /** Calls the listener immediately and on each change. Returns the function to unsubscribe. */
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
 * A gate that is always open. Use it only for writes that need no lease: the Lease itself, access reviews, user
 * commands, and processes without leader election.
 */
export const noLease: WriteGate = new NoLease();

const checkEveryMs = 1_000;

export type WriteFenceOptions = {
  readonly clock: Clock;
  /** How long a renewal is valid after it was sent. Less than the lease duration. */
  readonly deadlineMs: number;
};

/**
 * Opens with a renewal and closes when the last one is `deadlineMs` old. `mayWrite` reads the clocks itself, so a
 * process that wakes from a freeze cannot write. It notifies subscribers before it returns false.
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

  /** Returns a mark. Take it right before you send a renewal, and pass it to `renewed` on success. */
  mark(): number {
    this.#elapsed = advanceElapsed(this.#elapsed, this.#reading);
    return this.#elapsed.totalMs;
  }

  /** Opens the fence unless the renewal is already too old. */
  renewed(mark: number): void {
    this.#renewedAt = Math.max(this.#renewedAt, mark);
    if (this.#isOpen || this.#isShut || this.#leftMs <= 0) return;
    this.#isOpen = true;
    this.#checkClocks();
    this.#notify();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#notify();
  }

  /** Closes the fence permanently. */
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
