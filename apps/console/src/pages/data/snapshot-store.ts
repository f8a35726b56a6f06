// The snapshot that pages show, in either shell: made of lines about watched kinds, and changed at most once in a moment.

import type { StreamLine, WatchedName } from "@virt/client";
import type { ClusterSnapshot } from "./cluster-data.ts";
import { applyLines, areCurrent, dropUnwatchedProblems } from "./kind-state.ts";

/** Lines that come together are shown together. */
const gatherMs = 40;

export class SnapshotStore {
  #snapshot: ClusterSnapshot = { kinds: {}, isConnected: true, lastDataAt: undefined, signedOut: undefined };
  readonly #listeners = new Set<() => void>();
  #gathered: StreamLine[] = [];

  get snapshot(): ClusterSnapshot {
    return this.#snapshot;
  }

  /** Until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  change(change: Partial<ClusterSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }

  addLine(line: StreamLine): void {
    this.#gathered.push(line);
    if (this.#gathered.length > 1) return;
    setTimeout(() => {
      const kinds = applyLines(this.#snapshot.kinds, this.#gathered);
      this.#gathered = [];
      const lastDataAt = areCurrent(kinds) ? Date.now() : this.#snapshot.lastDataAt;
      this.change({ kinds, isConnected: true, signedOut: undefined, lastDataAt });
    }, gatherMs);
  }

  /** To be called when the set of watched kinds changes. */
  dropUnwatched(watched: readonly WatchedName[]): void {
    this.change({ kinds: dropUnwatchedProblems(this.#snapshot.kinds, watched) });
  }
}
