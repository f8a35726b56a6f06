// Timers in simulated time. A timer exists only while a controller requests it in every round.

const never = Number.POSITIVE_INFINITY;

export class SimulatedTimers {
  readonly now: number;
  readonly #previous: ReadonlyMap<string, number>;
  readonly #pending = new Map<string, number>();
  readonly #shortestRetry: number;

  /** `known` are the pending timers from the previous round, with their due times. */
  constructor(now: number, known: ReadonlyMap<string, number>, shortestRetry = 0) {
    this.now = now;
    this.#previous = known;
    this.#shortestRetry = shortestRetry;
  }

  /** Returns the delay before a retry, long enough that a fast simulation does not retry constantly. */
  retryMs(ms: number): number {
    return Math.max(ms, this.#shortestRetry);
  }

  /** Reports whether this much time has passed since the first of the consecutive rounds that called it for `what`. */
  hasElapsed(what: string, ms: number): boolean {
    const due = this.#previous.get(what) ?? this.#pending.get(what) ?? this.now + ms;
    this.#pending.set(what, due);
    return due <= this.now;
  }

  /** Returns the value of `isSo` from the first of the consecutive rounds that called it for `what`. */
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
