// Timers in simulated time. Controllers ask for them in every round. A timer that no controller asked for is dropped.

const never = Number.POSITIVE_INFINITY;

export class SimulatedTimers {
  readonly now: number;
  readonly #previous: ReadonlyMap<string, number>;
  readonly #pending = new Map<string, number>();
  readonly #shortestRetry: number;

  /** `known` are the pending timers of the previous round, with their due times. */
  constructor(now: number, known: ReadonlyMap<string, number>, shortestRetry = 0) {
    this.now = now;
    this.#previous = known;
    this.#shortestRetry = shortestRetry;
  }

  /** Returns the wait before a retry, long enough that a fast simulation does not retry all the time. */
  retryMs(ms: number): number {
    return Math.max(ms, this.#shortestRetry);
  }

  /** Reports whether this time has passed since the first of several consecutive rounds that asked for it. */
  hasElapsed(what: string, ms: number): boolean {
    const due = this.#previous.get(what) ?? this.#pending.get(what) ?? this.now + ms;
    this.#pending.set(what, due);
    return due <= this.now;
  }

  /** Returns the value that the first of several consecutive rounds got. */
  firstAnswer(what: string, isSo: boolean): boolean {
    const known = this.#previous.get(what) ?? this.#pending.get(what) ?? (isSo ? this.now : never);
    this.#pending.set(what, known);
    return known !== never;
  }

  get pending(): ReadonlyMap<string, number> {
    return this.#pending;
  }

  get nextDue(): number | undefined {
    const later = [...this.#pending.values()].filter((due) => due > this.now && due !== never);
    return later.length === 0 ? undefined : Math.min(...later);
  }
}

export function readSeconds(text: string): number | undefined {
  const match = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?$/.exec(text.trim());
  if (match === null || text.trim() === "") return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return hours * 3600 + minutes * 60 + seconds;
}
