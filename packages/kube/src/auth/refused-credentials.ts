// Remembers that the API server refuses our credentials, so that the same ones are not sent again and again, and why it may be so.

import { X509Certificate } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Identity } from "./credentials.ts";

const backoffMs = { first: 1_000, most: 30_000 };

type CredentialRefusal = {
  readonly identity: Identity;
  readonly why: string;
  /** All times are monotonic milliseconds. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly times: number;
};

export class RefusedCredentials {
  readonly #clock: Pick<Clock, "monotonic">;
  #refusal: CredentialRefusal | undefined;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** Since when nothing but refusals came; 0: our credentials are good, as far as we know. */
  get forMs(): number {
    return this.#refusal === undefined ? 0 : this.#clock.monotonic() - this.#refusal.sinceMs;
  }

  /** For how long these need not be tried again; others may be tried at once. */
  restMs(identity: Identity): number {
    if (this.#refusal === undefined || !isSameIdentity(this.#refusal.identity, identity)) return 0;
    return Math.max(0, this.#refusal.untilMs - this.#clock.monotonic());
  }

  get why(): string {
    return this.#refusal?.why ?? "";
  }

  refused(identity: Identity, why: string): void {
    const now = this.#clock.monotonic();
    const times = (this.#refusal?.times ?? 0) + 1;
    const untilMs = now + Math.min(backoffMs.most, backoffMs.first * 2 ** (times - 1));
    this.#refusal = { identity, why, sinceMs: this.#refusal?.sinceMs ?? now, untilMs, times };
  }

  accepted(): void {
    this.#refusal = undefined;
  }
}

export function isSameIdentity(left: Identity, right: Identity): boolean {
  return left.tls === right.tls && left.headers["authorization"] === right.headers["authorization"];
}

/** Undefined: it is still good, or nothing that we can read. */
export function expiredAt(pem: string, nowMs: number): string | undefined {
  try {
    const { validToDate } = new X509Certificate(pem);
    return validToDate.getTime() <= nowMs ? validToDate.toISOString() : undefined;
  } catch {
    return undefined; // the TLS handshake reports what is wrong with it
  }
}
