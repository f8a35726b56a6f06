// The events that are known, within bounds: so many that wait to be created, so many others that are remembered.

import type { Entry } from "./event-entry.ts";
import type { Announcement } from "./event-object.ts";

const most = { unsent: 250, others: 1_000 };

/** Thousands come in a storm: none of what is done for one of them looks at all of those that are at rest. */
export class EventBook {
  // In both, the one that was seen longest ago comes first.
  readonly #unsent = new Map<string, Entry>();
  readonly #others = new Map<string, Entry>();
  /** Of the others, those with something to say. */
  readonly #due = new Set<string>();

  get size(): number {
    return this.#unsent.size + this.#others.size;
  }

  /** What has never been said. */
  get unsent(): readonly Announcement[] {
    return [...this.#unsent.values()].map(({ announcement }) => announcement);
  }

  get isAllSent(): boolean {
    return this.#unsent.size === 0;
  }

  find(name: string): Entry | undefined {
    return this.#unsent.get(name) ?? this.#others.get(name);
  }

  remove(name: string): void {
    this.#unsent.delete(name);
    this.#others.delete(name);
    this.#due.delete(name);
  }

  /** It was seen just now. */
  put(name: string, entry: Entry): void {
    this.remove(name);
    if (entry.stage === "unsent") this.#unsent.set(name, entry);
    else this.#others.set(name, entry);
    if (entry.stage !== "unsent" && entry.dueAt < Infinity) this.#due.add(name);
  }

  /**
   * The oldest go, but never the busy one: fresh news is worth more than old news that could not be sent, and of what was
   * told the longest silent is forgotten. Gives what was still to be said.
   */
  bound(busy: string | undefined): readonly Announcement[] {
    const gone = [
      ...excess(this.#unsent, { limit: most.unsent, busy }),
      ...excess(this.#others, { limit: most.others, busy }),
    ];
    for (const [name] of gone) this.remove(name);
    return gone.filter(([, { dueAt }]) => dueAt < Infinity).map(([, { announcement }]) => announcement);
  }

  /** What is due first. A process that stops has no time for series. */
  next(isStopping: boolean): readonly [string, Entry] | undefined {
    let first: readonly [string, Entry] | undefined;
    const sooner = (one: readonly [string, Entry]) => {
      if (first === undefined || one[1].dueAt < first[1].dueAt) first = one;
    };
    for (const one of this.#unsent) sooner(one);
    for (const name of isStopping ? [] : this.#due) {
      const entry = this.#others.get(name);
      if (entry !== undefined) sooner([name, entry]);
    }
    return first;
  }
}

type Limit = { readonly limit: number; readonly busy: string | undefined };

function excess(
  oldestFirst: ReadonlyMap<string, Entry>,
  { limit, busy }: Limit,
): readonly (readonly [string, Entry])[] {
  const isBusyIn = busy !== undefined && oldestFirst.has(busy);
  const count = oldestFirst.size - (isBusyIn ? 1 : 0) - limit;
  const found: (readonly [string, Entry])[] = [];
  for (const one of oldestFirst) {
    if (found.length >= count) break;
    if (one[0] !== busy) found.push(one);
  }
  return found;
}
