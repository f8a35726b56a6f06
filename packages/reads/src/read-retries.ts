// What is read one by one and was refused: why, since when, and when it is asked for again.

import type { NotAssessedReason } from "@virt/api";

/** Why something was not read. `Listing`: it failed for a moment. */
export type Refusal = { readonly reason: NotAssessedReason; readonly message: string };

/** Errors count after this time: until then it is the first list that is under way. */
export const patienceMs = 60_000;
/** A server that fails is asked once a minute, one that refuses every five. */
const restMs = { failing: 60_000, refused: 300_000 };
/** A first failure is retried after a second, the next ones after twice the time each. */
const backoffMs = { first: 1_000, most: 30_000 };

export type RetryOptions = {
  /** Unless false. If not, nobody asks again, so that errors count at once. */
  readonly isPatient?: boolean;
  /** What was refused is not even asked for again when something else changed. */
  readonly restsWhenRefused?: boolean;
};

/** Of one kind. All times are monotonic. */
export class ReadRetries {
  readonly #patienceMs: number;
  readonly #restsWhenRefused: boolean;
  #refusal: Refusal | undefined;
  #failingSince: number | undefined;
  #failures = 0;
  #dueAt = Number.POSITIVE_INFINITY;

  constructor({ isPatient = true, restsWhenRefused = false }: RetryOptions = {}) {
    this.#patienceMs = isPatient ? patienceMs : 0;
    this.#restsWhenRefused = restsWhenRefused;
  }

  /** Undefined: nothing was refused when it was last asked for. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** When what was refused is asked for again; never, if nothing was. */
  get dueAt(): number {
    return this.#dueAt;
  }

  mayRead(now: number): boolean {
    if (this.#refusal === undefined || now >= this.#dueAt) return true;
    return this.#refusal.reason === "Forbidden" && !this.#restsWhenRefused;
  }

  /** How the last read went; undefined: well. */
  note(refusal: Refusal | undefined, now: number): void {
    const since = refusal?.reason === "Listing" ? (this.#failingSince ?? now) : undefined;
    this.#failingSince = since;
    this.#failures = since === undefined ? 0 : this.#failures + 1;
    const isLasting = since !== undefined && now - since >= this.#patienceMs;
    this.#refusal = refusal && isLasting ? { ...refusal, reason: "Unavailable" } : refusal;
    this.#dueAt = this.#refusal === undefined ? Number.POSITIVE_INFINITY : now + restOf(this.#refusal, this.#failures);
    // At the end of the patience it is asked once more, so that the error counts then and not later.
    if (since !== undefined && !isLasting) this.#dueAt = Math.min(this.#dueAt, since + this.#patienceMs);
  }
}

function restOf({ reason }: Refusal, failures: number): number {
  if (reason === "Listing") return Math.min(backoffMs.most, backoffMs.first * 2 ** (failures - 1));
  return reason === "Unavailable" ? restMs.failing : restMs.refused;
}

type RefusedReading = { readonly kind: string; readonly reason?: string };

/** What an answer that is no object means. What a server says of one object names it, so its words are left out. */
export function refusalOf(reading: RefusedReading): Refusal {
  if (reading.kind === "missing") return { reason: "NotServed", message: "" };
  if (reading.kind === "rejected")
    return { reason: reading.reason === "Forbidden" ? "Forbidden" : "Unavailable", message: "" };
  return { reason: "Listing", message: "" };
}
