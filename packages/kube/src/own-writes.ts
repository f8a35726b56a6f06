// Makes a pass wait until the cache shows what the pass before it wrote: without this, work is done twice.

import type { Clock } from "./clock.ts";

/** A watched subject, as far as its own writes are concerned. */
export type Watched = {
  readonly store: { readonly contains: (version: string, signal: AbortSignal) => Promise<void> };
  readonly reflector: { readonly doubt: () => void; readonly relist: () => void };
};

/** A write that is not seen after the first time is a sign of a dead stream, after the second of worse. */
const patienceMs = { probe: 5_000, relist: 10_000 };

export class OwnWrites {
  readonly #clock: Clock;
  readonly #notes = new Map<string, { readonly watched: Watched; readonly version: string }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * `name` is the object's, unique over all kinds. A no-op write returns the version that is known already, and is
   * waited for without delay.
   */
  note(name: string, watched: Watched, version: string): void {
    this.#notes.set(name, { watched, version });
  }

  /** Settles when the caches contain all noted writes to these objects, or when the signal is aborted. */
  async caughtUp(names: readonly string[], signal: AbortSignal): Promise<void> {
    await Promise.all(names.map((name) => this.#wait(name, signal)));
  }

  async #wait(name: string, signal: AbortSignal): Promise<void> {
    const note = this.#notes.get(name);
    if (note === undefined) return;
    const { store, reflector } = note.watched;
    const timers = [
      this.#clock.schedule(patienceMs.probe, () => reflector.doubt()),
      this.#clock.schedule(patienceMs.relist, () => reflector.relist()),
    ];
    try {
      await store.contains(note.version, signal);
    } finally {
      for (const cancel of timers) cancel();
    }
    if (!signal.aborted && this.#notes.get(name) === note) this.#notes.delete(name);
  }
}
