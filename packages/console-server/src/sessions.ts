// Who may use the page: whoever came once with the token of the URL, by a cookie from then on.

import { createHash, timingSafeEqual } from "node:crypto";

type SessionOptions = {
  readonly now: () => number;
  /** 256 bits as text, each time others. */
  readonly randomText: () => string;
  readonly tokenLifetimeMs: number;
};

/** What became of a token. */
export type TokenExchange =
  | { readonly kind: "accepted"; readonly session: string }
  | { readonly kind: "refused"; readonly why: "unknown" | "used" | "expired" };

export class Sessions {
  readonly #options: SessionOptions;
  readonly #token: string;
  readonly #issued: number;
  #isUsed = false;
  /** Digests: what is compared does not tell how far a guess was right. */
  readonly #sessions = new Set<string>();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#token = options.randomText();
    this.#issued = options.now();
  }

  /** Of the URL; good for one exchange. */
  get token(): string {
    return this.#token;
  }

  exchange(token: string): TokenExchange {
    if (!isEqual(token, this.#token)) return { kind: "refused", why: "unknown" };
    if (this.#isUsed) return { kind: "refused", why: "used" };
    if (this.#options.now() - this.#issued > this.#options.tokenLifetimeMs) return { kind: "refused", why: "expired" };
    this.#isUsed = true;
    const session = this.#options.randomText();
    this.#sessions.add(digest(session));
    return { kind: "accepted", session };
  }

  has(session: string | undefined): boolean {
    return session !== undefined && this.#sessions.has(digest(session));
  }
}

function isEqual(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(digest(left)), Buffer.from(digest(right)));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
