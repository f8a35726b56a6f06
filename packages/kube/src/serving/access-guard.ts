// Lets in who shows a token of the cluster and may get the path: by TokenReview, then SubjectAccessReview.

import { createHash } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Sender } from "../wire/client.ts";
import { mayGet, type Unavailable, type User, whoHolds } from "./access-review.ts";
import { type LookupLimit, noLookups, takeLookup } from "./lookup-limit.ts";

export type Judgement =
  | { readonly kind: "allowed" }
  | { readonly kind: "unknown" } // no token, or none that the cluster knows
  | { readonly kind: "forbidden"; readonly user: string; readonly path: string }
  | { readonly kind: "throttled"; readonly retryInMs: number }
  | Unavailable; // the API server could not be asked

export type Visitor = {
  /** The header, as it came. */
  readonly authorization: string | undefined;
  readonly path: string;
  /** Where the request came from. */
  readonly address: string;
};

export type GuardParts = { readonly sender: Pick<Sender, "send">; readonly clock: Clock };

/** How long a yes and a no are believed. */
const keepMs = { yes: 60_000, no: 10_000 };

type Who = { readonly kind: "user"; readonly user: User } | { readonly kind: "nobody" };
type May = { readonly kind: "judged"; readonly isAllowed: boolean };
type Kept = { readonly said: Who | May; readonly until: number };
type Refused = { readonly kind: "throttled"; readonly retryInMs: number } | Unavailable;

/** Keeps answers by the hash of the token, never the token. One for all servers of a process. */
export class AccessGuard {
  readonly #parts: GuardParts;
  readonly #kept = new Map<string, Kept>();
  readonly #asked = new Map<string, Promise<Who | May | Unavailable>>();
  #limit: LookupLimit = noLookups;

  constructor(parts: GuardParts) {
    this.#parts = parts;
  }

  async judge({ authorization, path, address }: Visitor, signal: AbortSignal): Promise<Judgement> {
    const token = /^Bearer +([\x21-\x7E]+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return { kind: "unknown" };
    const { sender } = this.#parts;
    const hash = createHash("sha256").update(token).digest("base64url");
    const who = await this.#look<Who>(hash, address, () => whoHolds(token, { sender, signal }));
    if (who.kind === "nobody") return { kind: "unknown" };
    if (who.kind !== "user") return who;
    const { user } = who;
    const may = await this.#look<May>(`${hash} ${path}`, address, () => mayGet(user, path, { sender, signal }));
    if (may.kind !== "judged") return may;
    return may.isAllowed ? { kind: "allowed" } : { kind: "forbidden", user: user.name, path };
  }

  /** What is known, or being asked already, costs nothing. That the server could not be asked is not kept. */
  async #look<T extends Who | May>(key: string, address: string, ask: () => Promise<T | Unavailable>) {
    const now = this.#parts.clock.monotonic();
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > now) return kept.said as T;
    const asked = this.#asked.get(key);
    if (asked !== undefined) return (await asked) as T | Unavailable;
    const { limit, retryInMs } = takeLookup(this.#limit, address, now);
    this.#limit = limit;
    if (retryInMs > 0) return { kind: "throttled", retryInMs } satisfies Refused;
    const asking = ask().finally(() => this.#asked.delete(key));
    this.#asked.set(key, asking);
    const said = await asking;
    if (said.kind !== "unavailable") this.#keep(key, said);
    return said;
  }

  // What is over goes; what is left has a bound, because lookups have.
  #keep(key: string, said: Who | May): void {
    const now = this.#parts.clock.monotonic();
    for (const [old, { until }] of this.#kept) if (until <= now) this.#kept.delete(old);
    const isYes = said.kind === "user" || (said.kind === "judged" && said.isAllowed);
    this.#kept.set(key, { said, until: now + (isYes ? keepMs.yes : keepMs.no) });
  }
}
