// What is waited for in simulated time. Whoever waits asks anew in each round; what nobody asks for is forgotten.

export class Agenda {
  readonly now: number;
  readonly #known: ReadonlyMap<string, number>;
  readonly #open = new Map<string, number>();

  /** `known` is what the round before left in `open`: when each thing is due. */
  constructor(now: number, known: ReadonlyMap<string, number>) {
    this.now = now;
    this.#known = known;
  }

  /** Whether this much time has passed since it was asked for the first time in a row. */
  passed(what: string, ms: number): boolean {
    const due = this.#known.get(what) ?? this.#open.get(what) ?? this.now + ms;
    this.#open.set(what, due);
    return due <= this.now;
  }

  get open(): ReadonlyMap<string, number> {
    return this.#open;
  }

  /** The earliest moment at which an answer will change. */
  get next(): number | undefined {
    const later = [...this.#open.values()].filter((due) => due > this.now);
    return later.length === 0 ? undefined : Math.min(...later);
  }
}
