// The HTTP client for one API server: credentials, connections and limits.

import type { ClientRequest } from "node:http";
import type { Access } from "../auth/access.ts";
import { Credentials, expiredAt, type Identity, isSameIdentity, RefusedCredentials } from "../auth/credentials.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { WriteGate } from "../leaderelection/write-fence.ts";
import type {
  ApiAnswer,
  ApiReader,
  ApiStream,
  ApiWriter,
  FailedRequest,
  RequestObserver,
  SendOptions,
} from "./api-client.ts";
import { Connections, type Pool } from "./connections.ts";
import {
  apiAnswerOf,
  type BrokenExchange,
  type ExchangeLimits,
  exchangeHttp,
  followStream,
  type HttpResponse,
  readBody,
} from "./exchange.ts";
import { requestFailureOf } from "./outcome.ts";
import type { ApiRequest, ReadRequest } from "./request.ts";

/** The parts of a client. Limits are in milliseconds and bytes, and each has a default. */
export type ClientOptions = {
  readonly access: Access;
  /** Program, version, controller and a process ID that distinguishes replicas in an audit log. */
  readonly userAgent: string;
  readonly limits?: Partial<ClientLimits>;
  readonly clock?: Pick<Clock, "monotonic">;
  readonly observer?: RequestObserver;
};

export type ClientLimits = {
  readonly connectMs: number;
  readonly readMs: number;
  readonly writeMs: number;
  readonly silenceMs: number;
  readonly answerBytes: number;
  readonly frameBytes: number;
};

/** Defaults. A write may take 30 s longer because of webhooks. */
const usualLimits: ClientLimits = {
  connectMs: 5_000,
  readMs: 30_000,
  writeMs: 40_000,
  silenceMs: 15_000,
  answerBytes: 16_000_000,
  frameBytes: 8_000_000,
};

/** Sends requests to one API server. Never throws because of a response or a failure. `close` ends its connections. */
export class Client implements ApiReader {
  readonly #connections: Connections;
  readonly #credentials: Credentials;
  readonly #refusal: RefusedCredentials;
  readonly #source: string;
  readonly #userAgent: string;
  readonly #limits: ClientLimits;
  readonly #observer: RequestObserver | undefined;

  constructor({ access, userAgent, limits, clock = systemClock, observer }: ClientOptions) {
    this.#connections = new Connections(access);
    this.#credentials = new Credentials(access);
    this.#refusal = new RefusedCredentials(clock);
    this.#source = access.source;
    this.#userAgent = userAgent;
    this.#limits = { ...usualLimits, ...limits };
    this.#observer = observer;
  }

  send(request: ReadRequest, options: SendOptions): Promise<ApiAnswer | FailedRequest> {
    return this.#observed(request, this.#exchange(request, options, isAlwaysLetOut));
  }

  stream(request: ReadRequest, options: SendOptions): Promise<ApiStream | ApiAnswer | FailedRequest> {
    return this.#observed(request, this.#openStream(request, options));
  }

  /** Binds writes to the gate, which decides right before the first byte is sent. Dry runs ignore the gate. */
  under(gate: WriteGate): ApiWriter {
    return {
      send: (request, options) => this.send(request, options),
      stream: (request, options) => this.stream(request, options),
      write: (request, options) => {
        const mayLeave = request.isDryRun ? isAlwaysLetOut : () => gate.mayWrite();
        return this.#observed(request, this.#exchange(request, options, mayLeave));
      },
    };
  }

  /** How long the server has been rejecting our credentials, in milliseconds, or 0. */
  get unauthorizedForMs(): number {
    return this.#refusal.forMs;
  }

  close(): void {
    this.#connections.close();
  }

  async #observed<T extends ApiAnswer | FailedRequest | ApiStream>(request: ApiRequest, answering: Promise<T>) {
    const answer = await answering;
    this.#observer?.(request, answer);
    return answer;
  }

  async #exchange(
    request: ApiRequest,
    options: SendOptions,
    mayLeave: () => boolean,
  ): Promise<ApiAnswer | FailedRequest> {
    const begun = await this.#begin(request, options, mayLeave);
    return "failure" in begun ? failed(begun) : this.#readAnswer(request, begun, options);
  }

  async #openStream(request: ReadRequest, options: SendOptions): Promise<ApiStream | ApiAnswer | FailedRequest> {
    const begun = await this.#begin(request, { pool: "watches", ...options }, isAlwaysLetOut);
    if ("failure" in begun) return failed(begun);
    const { incoming } = begun;
    if (incoming.statusCode !== 200) return this.#readAnswer(request, begun);
    return { kind: "streaming", follow: (onLines) => followStream(incoming, this.#limits.frameBytes, onLines) };
  }

  async #readAnswer(
    request: ApiRequest,
    response: HttpResponse,
    { mostBytes = this.#limits.answerBytes }: Pick<SendOptions, "mostBytes"> = {},
  ): Promise<ApiAnswer | FailedRequest> {
    const body = await readBody(response.incoming, this.#limitsOf(request), mostBytes);
    return Buffer.isBuffer(body) ? apiAnswerOf(response, body) : { kind: "failed", failure: body };
  }

  async #begin(
    request: ApiRequest,
    sending: SendOptions,
    mayLeave: () => boolean,
  ): Promise<HttpResponse | BrokenExchange> {
    const identity = await this.#identity(sending.signal);
    if ("failure" in identity) return identity;
    const restMs = this.#refusal.restMs(identity);
    if (restMs > 0) return this.#resting(restMs);
    const first = await this.#attempt(request, identity, sending, mayLeave);
    // The server closed an idle connection just when we used it, so it has not seen this read.
    const isUnseen =
      "failure" in first && first.isReused && first.failure.reason === "reset" && request.scope.access === "read";
    const begun = isUnseen ? await this.#attempt(request, identity, sending, mayLeave) : first;
    if ("failure" in begun) return begun;
    if (begun.incoming.statusCode !== 401) return this.#accepted(begun);
    this.#credentials.renew();
    const renewed = await this.#identity(sending.signal);
    if ("failure" in renewed || isSameIdentity(renewed, identity)) return this.#refused(begun, identity);
    // Our token was rotated. A rejected request changed nothing, so even a write may be sent again.
    begun.incoming.resume();
    const again = await this.#attempt(request, renewed, sending, mayLeave);
    if ("failure" in again) return again;
    return again.incoming.statusCode === 401 ? this.#refused(again, renewed) : this.#accepted(again);
  }

  #accepted(response: HttpResponse): HttpResponse {
    this.#refusal.accepted();
    return response;
  }

  #refused(response: HttpResponse, identity: Identity): HttpResponse | BrokenExchange {
    const explained = this.#explain(response, identity);
    const why = explained?.failure.message ?? `the API server rejects the credentials (${this.#source})`;
    this.#refusal.refused(identity, why);
    return explained ?? response;
  }

  #resting(ms: number): BrokenExchange {
    const message = `${this.#refusal.why}; retrying in ${Math.ceil(ms / 1000)} s`;
    return { failure: { reason: "unauthorized", message }, isReused: false };
  }

  // Explains a 401. The server says only "Unauthorized", so this checks for an expired certificate.
  #explain({ incoming, isReused }: HttpResponse, { tls }: Identity): BrokenExchange | undefined {
    const at = tls.cert === undefined ? undefined : expiredAt(tls.cert, systemClock.wall());
    if (at === undefined) return undefined;
    incoming.resume();
    return {
      failure: { reason: "tls", message: `the client certificate expired at ${at} (${this.#source})` },
      isReused,
    };
  }

  async #identity(signal: AbortSignal): Promise<Identity | BrokenExchange> {
    if (this.#refusal.isRefused) this.#credentials.recheckFiles();
    try {
      return await this.#credentials.current(signal);
    } catch (error) {
      return { failure: requestFailureOf(error), isReused: false };
    }
  }

  #attempt(
    request: ApiRequest,
    identity: Identity,
    { signal, pool = "calls" }: SendOptions,
    mayLeave: () => boolean,
  ): Promise<HttpResponse | BrokenExchange> {
    return exchangeHttp({
      open: () => this.#open(request, pool, identity),
      body: bodyOf(request),
      limits: this.#limitsOf(request),
      mayLeave,
      signal,
    });
  }

  #open(request: ApiRequest, pool: Pool, { headers, tls }: Identity): ClientRequest {
    const { method, path, accept = "application/json" } = request;
    const described = {
      accept,
      "user-agent": this.#userAgent,
      ...headers,
      // Without a length, Node sends the body of a DELETE in chunks. The server then ignores its preconditions.
      ...(request.method !== "GET" && {
        "content-type": request.contentType,
        "content-length": `${Buffer.byteLength(request.body)}`,
      }),
    };
    return this.#connections.open(pool, tls, { method, path, headers: described });
  }

  #limitsOf({ scope }: ApiRequest): ExchangeLimits {
    const { connectMs, readMs, writeMs, silenceMs } = this.#limits;
    return { connect: connectMs, whole: scope.access === "write" ? writeMs : readMs, silence: silenceMs };
  }
}

function failed({ failure }: BrokenExchange): FailedRequest {
  return { kind: "failed", failure };
}

function isAlwaysLetOut(): boolean {
  return true;
}

function bodyOf(request: ApiRequest): string | undefined {
  return request.method === "GET" ? undefined : request.body;
}
