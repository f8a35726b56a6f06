// One pass, or one connection of a stream, on its way past the breakers.

import type { Scope } from "../wire/request.ts";
import { keyOf, type Trouble } from "./circuit.ts";

/** The breakers, as one attempt sees them. */
export type Door = {
  readonly isOpen: (scope: Scope) => boolean;
  /** True if the attempt is on trial: then it sends. Not sooner than the server asked for. */
  readonly letTry: (scope: Scope) => boolean;
  readonly answered: (scope: Scope) => void;
  readonly unavailable: (scope: Scope, trouble: Trouble) => void;
  /** False: that breaker is closed. */
  readonly park: (scope: Scope, wake: () => void) => boolean;
  readonly leave: () => void;
};

/**
 * Goes to the client with each request of a pass. The client asks `admit` right before it sends, and says `answered` or
 * `unavailable` afterwards; nothing of a request that we gave up ourselves.
 *
 * An attempt on trial is let through by any open breaker, but with one request at a time, and only until the first that
 * is unavailable: so a trial costs one failing request, however many a pass makes.
 */
export class Attempt {
  readonly #door: Door;
  // The request that was let through; it stays if the answer is unavailable.
  #trying: string | undefined;
  #lastTrouble: Scope | undefined;
  #isOver = false;

  constructor(door: Door) {
    this.#door = door;
  }

  isOpen(scope: Scope): boolean {
    return this.#door.isOpen(scope);
  }

  /** "wait": do not send it; for the pass this is the same as an unavailable answer. */
  admit(scope: Scope): "go" | "wait" {
    if (!this.#door.isOpen(scope)) return "go";
    if (this.#trying !== undefined || !this.#door.letTry(scope)) {
      this.#lastTrouble = scope;
      return "wait";
    }
    this.#trying = keyOf(scope);
    return "go";
  }

  /** Any answer that is not unavailable: a conflict, a refusal or "not found" too. For a stream, its headers. */
  answered(scope: Scope): void {
    this.#lastTrouble = undefined;
    if (this.#trying === keyOf(scope)) this.#trying = undefined;
    this.#door.answered(scope);
  }

  unavailable(scope: Scope, trouble: Trouble): void {
    this.#lastTrouble = scope;
    this.#door.unavailable(scope, trouble);
  }

  /**
   * Ends the attempt, and waits for the breaker if the last that it heard of was an open one: true, and `wake` will be
   * called once, when a new attempt is worth while. False: nothing to wait for, use your own backoff.
   * Whoever is woken and then does not begin an attempt must `withdraw`: it may hold the breaker's only trial.
   */
  park(wake: () => void): boolean {
    if (this.#isOver) return false;
    this.end();
    return this.#lastTrouble !== undefined && this.#door.park(this.#lastTrouble, wake);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#door.leave();
  }
}
