// Sessions of the standalone console. A browser exchanges the one-time link token for a cookie and a key.

import { createHash, timingSafeEqual } from "node:crypto";

type SessionOptions = {
  readonly issuedAt: number;
  /** Must return 256 random bits, as a string. */
  readonly randomText: () => string;
  readonly tokenLifetimeMs: number;
};

/** `idle`: no user activity for 30 minutes. `expired`: the session is older than 12 hours. */
export type SessionRefusal = "unknown" | "idle" | "expired";

/**
 * Browsers send the cookie to every port on 127.0.0.1, so programs on other ports can read it. They cannot use it
 * without the key, which is in the storage of our origin.
 */
type SessionSecrets = { readonly cookie: string; readonly key: string };

export type TokenExchange =
  | { readonly kind: "accepted"; readonly secrets: SessionSecrets }
  | { readonly kind: "refused"; readonly why: "unknown" | "used" | "expired" };

export type SessionCheck =
  | { readonly kind: "active"; readonly session: Session }
  | { readonly kind: "refused"; readonly why: SessionRefusal };

const idleLifetimeMs = 30 * 60 * 1000;
const sessionLifetimeMs = 12 * 60 * 60 * 1000;

/** Times are in milliseconds. */
export class Session {
  readonly #keyDigest: string;
  readonly #startedAt: number;
  #activeAt: number;

  constructor(key: string, now: number) {
    this.#keyDigest = digest(key);
    this.#startedAt = now;
    this.#activeAt = now;
  }

  /** Returns undefined while the session is valid. A session that has ended never becomes valid again. */
  endAt(now: number): "idle" | "expired" | undefined {
    if (now - this.#startedAt >= sessionLifetimeMs) return "expired";
    return now - this.#activeAt >= idleLifetimeMs ? "idle" : undefined;
  }

  recordActivity(now: number): void {
    if (this.endAt(now) === undefined) this.#activeAt = now;
  }

  hasKey(key: string | undefined): boolean {
    return key !== undefined && isEqual(digest(key), this.#keyDigest);
  }
}

export class Sessions {
  readonly #options: SessionOptions;
  readonly #token: string;
  #isUsed = false;
  /** Keyed by a digest of the cookie, to prevent timing attacks. */
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#token = options.randomText();
  }

  /** The one-time token for the link. */
  get token(): string {
    return this.#token;
  }

  exchange(token: string, now: number): TokenExchange {
    if (!isEqual(digest(token), digest(this.#token))) return { kind: "refused", why: "unknown" };
    if (this.#isUsed) return { kind: "refused", why: "used" };
    const { issuedAt, tokenLifetimeMs, randomText } = this.#options;
    if (now - issuedAt > tokenLifetimeMs) return { kind: "refused", why: "expired" };
    this.#isUsed = true;
    const secrets = { cookie: randomText(), key: randomText() };
    this.#sessions.set(digest(secrets.cookie), new Session(secrets.key, now));
    return { kind: "accepted", secrets };
  }

  /** For page files, which a browser requests without the key. */
  checkCookie(cookie: string | undefined, now: number): SessionCheck {
    const session = cookie === undefined ? undefined : this.#sessions.get(digest(cookie));
    if (session === undefined) return { kind: "refused", why: "unknown" };
    const why = session.endAt(now);
    return why === undefined ? { kind: "active", session } : { kind: "refused", why };
  }

  /** For requests that read or change the cluster. */
  checkSecrets(cookie: string | undefined, key: string | undefined, now: number): SessionCheck {
    const check = this.checkCookie(cookie, now);
    return check.kind === "active" && !check.session.hasKey(key) ? { kind: "refused", why: "unknown" } : check;
  }
}

function isEqual(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
