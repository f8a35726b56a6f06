// What passed the proxy, request by request.

import { type Call, isUpkeep } from "./call.ts";
import type { Fault } from "./plan.ts";

export type Traced = Call & {
  /** Among all requests, from 1, in the order in which they came. */
  readonly ordinal: number;
  /** Among those that are no watch, no Lease and no Event; they have none. */
  readonly counted?: number;
  /** Among the effective writes, in the order of their answers; Leases and Events have none. */
  readonly writeNumber?: number;
  /** What the API server answered; absent if it was not asked or has not answered yet. */
  readonly status?: number;
  /** What the client was told; absent if it was told nothing. */
  readonly told?: number;
  /** Answered 2xx, and neither a read nor a dry run. */
  readonly isEffective: boolean;
  readonly fault?: Fault["kind"];
  readonly startedMs: number;
  readonly endedMs?: number;
};

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export type Entry = Writable<Traced>;

export class Trace {
  readonly #entries: Entry[] = [];
  #counted = 0;
  #writes = 0;

  open(call: Call, startedMs: number): Entry {
    const entry: Entry = { ...call, ordinal: this.#entries.length + 1, isEffective: false, startedMs };
    if (call.verb !== "watch" && !isUpkeep(call)) entry.counted = ++this.#counted;
    this.#entries.push(entry);
    return entry;
  }

  written(entry: Entry): void {
    entry.isEffective = true;
    if (!isUpkeep(entry)) entry.writeNumber = ++this.#writes;
  }

  /** A copy: it does not change any more. */
  read(): readonly Traced[] {
    return this.#entries.map((entry) => ({ ...entry }));
  }
}
