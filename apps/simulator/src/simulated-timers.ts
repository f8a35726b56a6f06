// Timers in simulated time. Whoever waits asks anew in each round; a timer that nobody asks for is forgotten.

const never = Number.POSITIVE_INFINITY;

export class SimulatedTimers {
  readonly now: number;
  readonly #previous: ReadonlyMap<string, number>;
  readonly #pending = new Map<string, number>();
  readonly #shortestRetry: number;

  /** `known` is what the round before left in `open`: when each thing is due. */
  constructor(now: number, known: ReadonlyMap<string, number>, shortestRetry = 0) {
    this.now = now;
    this.#previous = known;
    this.#shortestRetry = shortestRetry;
  }

  /** How long to wait before what has failed for hours is tried again: at a million times real time that would be all the time. */
  retryMs(ms: number): number {
    return Math.max(ms, this.#shortestRetry);
  }

  /** Whether this much time has passed since it was asked for the first time in a row. */
  hasElapsed(what: string, ms: number): boolean {
    const due = this.#previous.get(what) ?? this.#pending.get(what) ?? this.now + ms;
    this.#pending.set(what, due);
    return due <= this.now;
  }

  /** Returns the answer of the first time that it was asked for in a row. */
  firstAnswer(what: string, isSo: boolean): boolean {
    const known = this.#previous.get(what) ?? this.#pending.get(what) ?? (isSo ? this.now : never);
    this.#pending.set(what, known);
    return known !== never;
  }

  get pending(): ReadonlyMap<string, number> {
    return this.#pending;
  }

  /** The earliest moment at which an answer will change. */
  get nextDue(): number | undefined {
    const later = [...this.#pending.values()].filter((due) => due > this.now && due !== never);
    return later.length === 0 ? undefined : Math.min(...later);
  }
}

/** Undefined if the text is no duration. */
export function readSeconds(text: string): number | undefined {
  const match = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?$/.exec(text.trim());
  if (match === null || text.trim() === "") return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return hours * 3600 + minutes * 60 + seconds;
}
