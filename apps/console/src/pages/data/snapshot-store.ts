// Builds the cluster snapshot that pages show from the lines of the stream.

import type { StreamLine, WatchedName } from "@virt/views";
import type { ClusterSnapshot, SignedOut } from "./cluster-data.ts";
import { applyLines, areCurrent, dropUnwatchedProblems } from "./kind-state.ts";

/** Lines that arrive within this many milliseconds are applied together, to render once. */
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

  addLine(line: StreamLine): void {
    this.#gathered.push(line);
    if (this.#gathered.length === 1) setTimeout(() => this.#apply(), gatherMs);
  }

  disconnect(signedOut: SignedOut | undefined): void {
    this.#apply();
    this.#change({ isConnected: false, signedOut });
  }

  /** Call it after the set of watched kinds has changed. */
  dropUnwatched(watched: readonly WatchedName[]): void {
    this.#change({ kinds: dropUnwatchedProblems(this.#snapshot.kinds, watched) });
  }

  #apply(): void {
    const lines = this.#gathered;
    if (lines.length === 0) return;
    this.#gathered = [];
    const kinds = applyLines(this.#snapshot.kinds, lines);
    const ends = lines.map((line) => (line.type === "unavailable" ? line.currentAt : undefined) ?? Date.now());
    const lastDataAt = areCurrent(kinds) ? Date.now() : earlier(this.#snapshot.lastDataAt, Math.min(...ends));
    this.#change({ kinds, isConnected: true, signedOut: undefined, lastDataAt });
  }

  #change(change: Partial<ClusterSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function earlier(time: number | undefined, other: number): number | undefined {
  return time === undefined ? undefined : Math.min(time, other);
}
