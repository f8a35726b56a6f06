// Collects stream lines into the snapshot that pages show, in both shells.

import type { StreamLine, WatchedName } from "@virt/views";
import type { ClusterSnapshot } from "./cluster-data.ts";
import { applyLines, areCurrent, dropUnwatchedProblems } from "./kind-state.ts";

/** Milliseconds: lines that arrive together are applied together. */
const gatherMs = 40;

export class SnapshotStore {
  #snapshot: ClusterSnapshot = { kinds: {}, isConnected: true, lastDataAt: undefined, signedOut: undefined };
  readonly #listeners = new Set<() => void>();
  #gathered: StreamLine[] = [];

  get snapshot(): ClusterSnapshot {
    return this.#snapshot;
  }

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

  /** Call after the set of watched kinds changes. */
  dropUnwatched(watched: readonly WatchedName[]): void {
    this.change({ kinds: dropUnwatchedProblems(this.#snapshot.kinds, watched) });
  }
}
