// Makes a pass wait until the cache shows what the pass before it wrote: without this, work is done twice.

import type { Clock } from "../clock.ts";

/** A watched subject, as far as its own writes are concerned. */
export type Watched = {
  readonly store: { readonly contains: (version: string, signal: AbortSignal) => Promise<void> };
  readonly doubt: () => void;
  readonly relist: () => void;
};

export type OwnWrite = {
  /** Unique over all kinds. */
  readonly object: string;
  readonly watched: Watched;
  readonly version: string;
};

/**
 * A write that is not seen after the first time is a sign of a dead stream, after the second of worse. After the third
 * the kind is gone, or never comes back: an old view is better than none, and the server refuses what is based on it.
 */
const patienceMs = { probe: 5_000, relist: 10_000, end: 30_000 };

export class OwnWrites {
  readonly #clock: Clock;
  readonly #writes = new Map<string, Map<string, OwnWrite>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A no-op write returns the version that is known already, and is waited for without delay. */
  note(key: string, write: OwnWrite): void {
    const writes = this.#writes.get(key) ?? new Map<string, OwnWrite>();
    this.#writes.set(key, writes.set(write.object, write));
  }

  /** Settles when the caches contain all writes of the passes over this key, or when the signal is aborted. */
  async caughtUp(key: string, signal: AbortSignal): Promise<void> {
    const writes = [...(this.#writes.get(key)?.values() ?? [])];
    await Promise.all(writes.map((write) => this.#wait(write, signal)));
    if (!signal.aborted) this.#writes.delete(key);
  }

  async #wait({ watched, version }: OwnWrite, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const timers = [
      this.#clock.schedule(patienceMs.probe, () => watched.doubt()),
      this.#clock.schedule(patienceMs.relist, () => watched.relist()),
      this.#clock.schedule(patienceMs.end, () => over.abort()),
    ];
    try {
      await watched.store.contains(version, AbortSignal.any([signal, over.signal]));
    } finally {
      for (const cancel of timers) cancel();
    }
  }
}
