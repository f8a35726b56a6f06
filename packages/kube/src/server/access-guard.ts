// Authenticates requests with TokenReviews and authorizes them with SubjectAccessReviews.

import { createHash } from "node:crypto";
import { asText, at, type Bucket, fullBucket, isMap, type Json, takeToken } from "@virt/objects";
import type { ApiWriter } from "../client/api-client.ts";
import { writeResultOf } from "../client/outcome.ts";
import { createObject, type Resource } from "../client/request.ts";
import type { Clock } from "../clock.ts";

export type AccessDecision =
  | { readonly kind: "allowed" }
  | { readonly kind: "unknown" } // no token, or a token that the cluster does not accept
  | { readonly kind: "forbidden"; readonly user: string; readonly path: string }
  | { readonly kind: "throttled"; readonly retryInMs: number }
  | ReviewUnavailable; // the API server did not respond

export type AccessRequest = {
  readonly authorization: string | undefined;
  readonly path: string;
  readonly address: string;
};

export type AccessGuardOptions = { readonly client: Pick<ApiWriter, "write">; readonly clock: Clock };

const keepMs = { yes: 60_000, no: 10_000 };

type TokenReviewResult = { readonly kind: "user"; readonly user: User } | { readonly kind: "unknown" };
type AccessReviewResult = { readonly kind: "reviewed"; readonly isAllowed: boolean };
type CachedReview = { readonly result: TokenReviewResult | AccessReviewResult; readonly until: number };
type RefusedReview = { readonly kind: "throttled"; readonly retryInMs: number } | ReviewUnavailable;

/** Caches results by the hash of the token, never the token itself. Create one per process, for all of its servers. */
export class AccessGuard {
  readonly #parts: AccessGuardOptions;
  readonly #cached = new Map<string, CachedReview>();
  readonly #pending = new Map<string, Promise<TokenReviewResult | AccessReviewResult | ReviewUnavailable>>();
  #limit: LookupLimit = noLookups;

  constructor(parts: AccessGuardOptions) {
    this.#parts = parts;
  }

  async authorize({ authorization, path, address }: AccessRequest, signal: AbortSignal): Promise<AccessDecision> {
    const token = /^Bearer +([\x21-\x7E]+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return { kind: "unknown" };
    const { client } = this.#parts;
    const hash = createHash("sha256").update(token).digest("base64url");
    const who = await this.#lookUp<TokenReviewResult>(hash, address, () => reviewToken(token, { client, signal }));
    if (who.kind === "unknown") return { kind: "unknown" };
    if (who.kind !== "user") return who;
    const { user } = who;
    const may = await this.#lookUp<AccessReviewResult>(`${hash} ${path}`, address, () =>
      reviewAccess(user, path, { client, signal }),
    );
    if (may.kind !== "reviewed") return may;
    return may.isAllowed ? { kind: "allowed" } : { kind: "forbidden", user: user.name, path };
  }

  /** Cached and pending results do not count towards the rate limit. Failed reviews are not cached. */
  async #lookUp<T extends TokenReviewResult | AccessReviewResult>(
    key: string,
    address: string,
    ask: () => Promise<T | ReviewUnavailable>,
  ) {
    const now = this.#parts.clock.monotonic();
    const cached = this.#cached.get(key);
    if (cached !== undefined && cached.until > now) return cached.result as T;
    const asked = this.#pending.get(key);
    if (asked !== undefined) return (await asked) as T | ReviewUnavailable;
    const { limit, retryInMs } = takeLookup(this.#limit, address, now);
    this.#limit = limit;
    if (retryInMs > 0) return { kind: "throttled", retryInMs } satisfies RefusedReview;
    const asking = ask().finally(() => this.#pending.delete(key));
    this.#pending.set(key, asking);
    const result = await asking;
    if (result.kind !== "unavailable") this.#cache(key, result);
    return result;
  }

  // Removes expired entries. The rate limit of lookups bounds the number of others.
  #cache(key: string, result: TokenReviewResult | AccessReviewResult): void {
    const now = this.#parts.clock.monotonic();
    for (const [old, { until }] of this.#cached) if (until <= now) this.#cached.delete(old);
    const isYes = result.kind === "user" || (result.kind === "reviewed" && result.isAllowed);
    this.#cached.set(key, { result, until: now + (isYes ? keepMs.yes : keepMs.no) });
  }
}

export type User = { readonly name: string; readonly described: Json };

export type ReviewUnavailable = { readonly kind: "unavailable"; readonly message: string };

const tokenReviews: Resource = review("authentication.k8s.io", "tokenreviews");
const accessReviews: Resource = review("authorization.k8s.io", "subjectaccessreviews");

function review(group: string, plural: string): Resource {
  return { group, version: "v1", plural, isNamespaced: false };
}

type ReviewCall = { readonly client: Pick<ApiWriter, "write">; readonly signal: AbortSignal };

async function reviewToken(
  token: string,
  asking: ReviewCall,
): Promise<{ readonly kind: "user"; readonly user: User } | { readonly kind: "unknown" } | ReviewUnavailable> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
  const review = await ask(tokenReviews, body, asking);
  if ("kind" in review) return review;
  const user = at(review.status, "user");
  const name = asText(at(user, "username"));
  const isKnown = at(review.status, "authenticated") === true && name !== undefined && user !== undefined;
  return isKnown ? { kind: "user", user: { name, described: user } } : { kind: "unknown" };
}

async function reviewAccess(
  user: User,
  path: string,
  asking: ReviewCall,
): Promise<{ readonly kind: "reviewed"; readonly isAllowed: boolean } | ReviewUnavailable> {
  const { uid, groups, extra } = (isMap(user.described) ? user.described : {}) as Record<string, Json | undefined>;
  const spec = { user: user.name, uid, groups, extra, nonResourceAttributes: { path, verb: "get" } };
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
  const review = await ask(accessReviews, body, asking);
  if ("kind" in review) return review;
  return { kind: "reviewed", isAllowed: at(review.status, "allowed") === true };
}

async function ask(
  resource: Resource,
  body: Json,
  { client, signal }: ReviewCall,
): Promise<{ readonly status: Json | undefined } | ReviewUnavailable> {
  const answer = writeResultOf(await client.write(createObject(resource, {}, body), { signal }));
  if (answer.kind === "done") return { status: at(answer.live, "status") };
  const why = "message" in answer ? answer.message : answer.kind;
  return { kind: "unavailable", message: `cannot create ${resource.plural}: ${why}` };
}

const rates = {
  /** The rate limit per address, so that one client cannot use up the total. */
  each: { capacity: 10, refillMs: 500 },
  all: { capacity: 50, refillMs: 100 },
};

export type LookupLimit = { readonly all: Bucket; readonly each: ReadonlyMap<string, Bucket> };

export const noLookups: LookupLimit = { all: fullBucket, each: new Map() };

/** Takes one lookup if the limits allow it. Otherwise, `retryInMs` is the time until the next one is allowed. */
export function takeLookup(
  was: LookupLimit,
  address: string,
  now: number,
): { readonly limit: LookupLimit; readonly retryInMs: number } {
  const own = takeToken(was.each.get(address) ?? fullBucket, rates.each, now);
  const all = takeToken(was.all, rates.all, now);
  if (!own.granted || !all.granted) return { limit: was, retryInMs: Math.max(own.retryInMs, all.retryInMs) };
  const each = new Map([...was.each].filter(([, { fullAt }]) => fullAt > now)).set(address, own.bucket);
  return { limit: { all: all.bucket, each }, retryInMs: 0 };
}
