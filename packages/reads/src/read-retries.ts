// Records why single reads failed and when to retry them.

import type { NotAssessedReason } from "@virt/api";
import { pauseAfter } from "@virt/objects";

/** Why a read is missing. `Listing` means a temporary failure. */
export type Refusal = { readonly reason: NotAssessedReason; readonly message: string };

/** Until failures have lasted this long, they count as a first list in progress. */
export const patienceMs = 60_000;
/** Retry intervals after a lasting failure and after a refusal. */
const restMs = { failing: 60_000, refused: 300_000 };
const backoffMs = { first: 1_000, most: 30_000 };

export type RetryOptions = {
  /** Set it to false for a single read, so that errors are reported immediately. Default: true. */
  readonly isPatient?: boolean;
  /** If true, other changes do not trigger an early retry of a forbidden read. Default: false. */
  readonly restsWhenRefused?: boolean;
};

/** The retries of one kind of read. Times are monotonic, in milliseconds. */
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

  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** The time of the next retry, or infinity. */
  get dueAt(): number {
    return this.#dueAt;
  }

  mayRead(now: number): boolean {
    if (this.#refusal === undefined || now >= this.#dueAt) return true;
    return this.#refusal.reason === "Forbidden" && !this.#restsWhenRefused;
  }

  /** Records the result of a read. Undefined: it succeeded. */
  note(refusal: Refusal | undefined, now: number): void {
    const since = refusal?.reason === "Listing" ? (this.#failingSince ?? now) : undefined;
    this.#failingSince = since;
    this.#failures = since === undefined ? 0 : this.#failures + 1;
    const isLasting = since !== undefined && now - since >= this.#patienceMs;
    this.#refusal = refusal && isLasting ? { ...refusal, reason: "Unavailable" } : refusal;
    this.#dueAt = this.#refusal === undefined ? Number.POSITIVE_INFINITY : now + restOf(this.#refusal, this.#failures);
    // Retries when `patienceMs` has passed, so that a persistent error is reported from then on.
    if (since !== undefined && !isLasting) this.#dueAt = Math.min(this.#dueAt, since + this.#patienceMs);
  }
}

function restOf({ reason }: Refusal, failures: number): number {
  if (reason === "Listing") return pauseAfter(failures, backoffMs);
  return reason === "Unavailable" ? restMs.failing : restMs.refused;
}

type RefusedReading = { readonly kind: string; readonly reason?: string };

/** Maps a failed read to a refusal. Drops the server's message because it names a single object. */
export function refusalOf(reading: RefusedReading): Refusal {
  if (reading.kind === "missing") return { reason: "NotServed", message: "" };
  if (reading.kind === "rejected")
    return { reason: reading.reason === "Forbidden" ? "Forbidden" : "Unavailable", message: "" };
  return { reason: "Listing", message: "" };
}
