// Remembers that the API server rejects the credentials, so that the client does not keep sending them.

import { X509Certificate } from "node:crypto";
import { pauseAfter } from "@virt/objects";
import type { Clock } from "../clock.ts";
import type { Identity } from "./credentials.ts";

const backoffMs = { first: 1_000, most: 30_000 };

type CredentialRefusal = {
  readonly identity: Identity;
  readonly why: string;
  /** In monotonic milliseconds, like `untilMs`. */
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

  /** Returns the milliseconds since the first of consecutive rejections, or 0 after a success. */
  get forMs(): number {
    return this.#refusal === undefined ? 0 : this.#clock.monotonic() - this.#refusal.sinceMs;
  }

  /** Returns the milliseconds until these credentials may be sent again, or 0 for other credentials. */
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
    const untilMs = now + pauseAfter(times, backoffMs);
    this.#refusal = { identity, why, sinceMs: this.#refusal?.sinceMs ?? now, untilMs, times };
  }

  accepted(): void {
    this.#refusal = undefined;
  }
}

export function isSameIdentity(left: Identity, right: Identity): boolean {
  return left.tls === right.tls && left.headers["authorization"] === right.headers["authorization"];
}

/** Returns the expiry date as ISO 8601, or undefined if the certificate is still valid or cannot be parsed. */
export function expiredAt(pem: string, nowMs: number): string | undefined {
  try {
    const { validToDate } = new X509Certificate(pem);
    return validToDate.getTime() <= nowMs ? validToDate.toISOString() : undefined;
  } catch {
    return undefined;
  }
}
