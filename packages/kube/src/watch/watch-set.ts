// Runs the watches that are wanted at the moment. The set is data: kinds come and go, the process stays.

import type { Line } from "../breaker/line.ts";
import type { Clock } from "../clock.ts";
import type { Discovery } from "../wire/discovery.ts";
import { ProbeLimit } from "./probe-limit.ts";
import { groupOf, RunningWatch, type Watch, type WatchObserver, type WatchSpec } from "./running-watch.ts";

export type WatchSetParts = {
  /** Each stream has a line of its own, by the name under which it waits for a breaker. */
  readonly lineFor: (name: string) => Line;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: WatchObserver;
};

/** As long as a watch looks for a kind after news of its group. */
const newsMs = 15_000;

export class WatchSet {
  readonly #parts: WatchSetParts;
  readonly #probes: ProbeLimit;
  readonly #server = { canStream: true };
  readonly #running = new Map<string, RunningWatch>();
  readonly #news = new Map<string, number>();

  constructor(parts: WatchSetParts) {
    this.#parts = parts;
    this.#probes = new ProbeLimit(parts.clock);
  }

  /** Starts and stops streams until exactly these run. One that is wanted before and after is not touched. */
  want(specs: readonly WatchSpec[]): void {
    const wanted = new Map(specs.map((spec) => [idOf(spec), spec]));
    for (const [id, watch] of this.#running) {
      if (wanted.has(id)) continue;
      watch.stop();
      this.#running.delete(id);
    }
    for (const [id, spec] of wanted) {
      if (!this.#running.has(id)) this.#running.set(id, this.#start(id, spec));
    }
  }

  find(spec: WatchSpec): Watch | undefined {
    return this.#running.get(idOf(spec));
  }

  get all(): readonly Watch[] {
    return [...this.#running.values()];
  }

  /** A CRD of this group came, changed or went. */
  groupChanged(group: string): void {
    this.#parts.discovery.forget(group);
    this.#news.set(group, this.#parts.clock.monotonic());
    for (const watch of this.#running.values()) {
      if (watch.spec.apiVersion.startsWith(`${group}/`)) watch.lookAgain();
    }
  }

  /** The process was frozen, or another stream was found dead: all of them are doubtful. */
  doubtAll(): void {
    for (const watch of this.#running.values()) watch.doubt();
  }

  stop(): void {
    this.want([]);
  }

  #isNew(group: string): boolean {
    const at = this.#news.get(group);
    return at !== undefined && this.#parts.clock.monotonic() - at < newsMs;
  }

  #start(id: string, spec: WatchSpec): RunningWatch {
    const { lineFor } = this.#parts;
    return new RunningWatch(spec, {
      ...this.#parts,
      line: lineFor(id),
      probes: this.#probes,
      server: this.#server,
      isGroupNew: this.#isNew(groupOf(spec.apiVersion)),
    });
  }
}

/** Asked for all wanted streams whenever one may be another: cheap, and the same for specs that are written alike. */
function idOf({ apiVersion, kind, namespace, name, labelSelector, projection }: WatchSpec): string {
  return JSON.stringify([apiVersion, kind, namespace, name, labelSelector, projection]);
}
