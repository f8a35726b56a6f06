// Talks to one API server: credentials, connections, limits. Every answer and every failure is a value.

import type { ClientRequest, IncomingMessage } from "node:http";
import { type Json, readJson } from "@virt/engine";
import type { Access } from "../access/access.ts";
import { expiredAt } from "../access/certificate-expiry.ts";
import { Credentials, type Identity } from "../access/credentials.ts";
import { systemClock } from "../clock.ts";
import { Connections, type Pool } from "./connections.ts";
import { type Broken, drain, exchange, type Limits, type Response, readBody } from "./exchange.ts";
import { type Failure, failureOf } from "./failure.ts";
import { FrameCutter } from "./frames.ts";
import type { ApiRequest } from "./request.ts";

/** `body` is undefined where the answer is not JSON; `text` is what came. */
export type Answer = {
  readonly kind: "answered";
  readonly status: number;
  readonly body: Json | undefined;
  readonly text: string;
  readonly retryInMs?: number;
  readonly bytes: number;
};

export type Failed = { readonly kind: "failed"; readonly failure: Failure };

/** A watch. `follow` hands over the lines as they come off the wire, and settles when the stream ends: whole, or broken. */
export type Stream = {
  readonly kind: "streaming";
  readonly follow: (onLines: (lines: readonly Buffer[]) => void) => Promise<Failure | undefined>;
};

export type Sending = {
  readonly signal: AbortSignal;
  readonly pool?: Pool;
  /** The fence: an effective write leaves only while this says true. */
  readonly mayWrite?: () => boolean;
};

export type ClientSettings = {
  readonly access: Access;
  /** Program, version, controller and process identity, so that replicas can be told apart in an audit log. */
  readonly userAgent: string;
  readonly limits?: Partial<ClientLimits>;
};

export type ClientLimits = {
  readonly connectMs: number;
  readonly readMs: number;
  readonly writeMs: number;
  readonly silenceMs: number;
  readonly answerBytes: number;
  readonly frameBytes: number;
};

/** A webhook may take 30 s of a write. */
const usualLimits: ClientLimits = {
  connectMs: 5_000,
  readMs: 30_000,
  writeMs: 40_000,
  silenceMs: 15_000,
  answerBytes: 64_000_000,
  frameBytes: 8_000_000,
};

/** Whoever sends requests: the client itself, or something that watches over it. */
export type Sender = {
  readonly send: (request: ApiRequest, sending: Sending) => Promise<Answer | Failed>;
  /** An answer instead of a stream is a refusal, such as 410 or 404. */
  readonly stream: (request: ApiRequest, sending: Sending) => Promise<Stream | Answer | Failed>;
};

export class Client implements Sender {
  readonly #connections: Connections;
  readonly #credentials: Credentials;
  readonly #source: string;
  readonly #userAgent: string;
  readonly #limits: ClientLimits;

  constructor({ access, userAgent, limits }: ClientSettings) {
    this.#connections = new Connections(access);
    this.#credentials = new Credentials(access);
    this.#source = access.source;
    this.#userAgent = userAgent;
    this.#limits = { ...usualLimits, ...limits };
  }

  async send(request: ApiRequest, sending: Sending): Promise<Answer | Failed> {
    const begun = await this.#begin(request, sending);
    if ("failure" in begun) return { kind: "failed", failure: begun.failure };
    const body = await readBody(begun.incoming, this.#limitsOf(request), this.#limits.answerBytes);
    if (!Buffer.isBuffer(body)) return { kind: "failed", failure: body };
    return answerOf(begun, body);
  }

  async stream(request: ApiRequest, sending: Sending): Promise<Stream | Answer | Failed> {
    const begun = await this.#begin(request, { pool: "watches", ...sending });
    if ("failure" in begun) return { kind: "failed", failure: begun.failure };
    if (begun.incoming.statusCode === 200) {
      const { incoming } = begun;
      return { kind: "streaming", follow: (onLines) => follow(incoming, this.#limits.frameBytes, onLines) };
    }
    const body = await readBody(begun.incoming, this.#limitsOf(request), this.#limits.answerBytes);
    return Buffer.isBuffer(body) ? answerOf(begun, body) : { kind: "failed", failure: body };
  }

  close(): void {
    this.#connections.close();
  }

  async #begin(request: ApiRequest, sending: Sending): Promise<Response | Broken> {
    const first = await this.#attempt(request, sending);
    // The server closed a kept connection just when we used it: nobody has seen this read.
    const isUnseen =
      "failure" in first && first.isReused && first.failure.reason === "reset" && request.scope.access === "read";
    const begun = isUnseen ? await this.#attempt(request, sending) : first;
    if ("failure" in begun || begun.incoming.statusCode !== 401) return begun;
    // Our token was rotated. A request that was not let in did nothing, so even a write may be sent again.
    begun.incoming.resume();
    this.#credentials.renew();
    const again = await this.#attempt(request, sending);
    if ("failure" in again || again.incoming.statusCode !== 401) return again;
    return (await this.#explain(again, sending.signal)) ?? again;
  }

  // The server says no more than "Unauthorized".
  async #explain({ incoming, isReused }: Response, signal: AbortSignal): Promise<Broken | undefined> {
    const { tls } = await this.#credentials.current(signal);
    const at = tls.cert === undefined ? undefined : expiredAt(tls.cert, systemClock.wall());
    if (at === undefined) return undefined;
    incoming.resume();
    return {
      failure: { reason: "tls", message: `our client certificate expired at ${at} (${this.#source})` },
      isReused,
    };
  }

  async #attempt(
    request: ApiRequest,
    { signal, pool = "calls", mayWrite = alwaysTrue }: Sending,
  ): Promise<Response | Broken> {
    let identity: Identity;
    try {
      identity = await this.#credentials.current(signal);
    } catch (error) {
      return { failure: failureOf(error), isReused: false };
    }
    return exchange({
      open: () => this.#open(request, pool, identity),
      body: request.body,
      limits: this.#limitsOf(request),
      mayLeave: request.isEffective ? mayWrite : alwaysTrue,
      signal,
    });
  }

  #open(
    { method, path, accept, contentType, body }: ApiRequest,
    pool: Pool,
    { headers, tls }: Identity,
  ): ClientRequest {
    const described = {
      accept: accept ?? "application/json",
      "user-agent": this.#userAgent,
      ...headers,
      // Without a length Node sends a DELETE body in chunks, and the server then deletes without its preconditions.
      ...(body !== undefined && { "content-type": contentType, "content-length": `${Buffer.byteLength(body)}` }),
    };
    return this.#connections.open(pool, tls, { method, path, headers: described });
  }

  #limitsOf({ scope }: ApiRequest): Limits {
    const { connectMs, readMs, writeMs, silenceMs } = this.#limits;
    return { connect: connectMs, whole: scope.access === "write" ? writeMs : readMs, silence: silenceMs };
  }
}

function alwaysTrue(): boolean {
  return true;
}

function answerOf({ incoming }: Response, bytes: Buffer): Answer | Failed {
  const status = incoming.statusCode ?? 0;
  const text = bytes.toString("utf8");
  const isJson = (incoming.headers["content-type"] ?? "").includes("json");
  const retryInMs = retryAfter(incoming.headers["retry-after"]);
  const told = {
    kind: "answered",
    status,
    text,
    bytes: bytes.length,
    ...(retryInMs !== undefined && { retryInMs }),
  } as const;
  if (!isJson) return { ...told, body: undefined };
  try {
    return { ...told, body: readJson(text) };
  } catch (error) {
    return { kind: "failed", failure: { reason: "cut", message: "the answer is not valid JSON", cause: error } };
  }
}

/** Seconds, or a date; the API server sends seconds. */
function retryAfter(header: string | undefined): number | undefined {
  const seconds = Number(header);
  return header !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

async function follow(incoming: IncomingMessage, frameBytes: number, onLines: (lines: readonly Buffer[]) => void) {
  const cutter = new FrameCutter(frameBytes);
  const { isWhole, error } = await drain(incoming, (piece) => {
    const lines = cutter.push(piece);
    if (lines.length > 0) onLines(lines);
  });
  if (isWhole) return undefined;
  return error === undefined ? ({ reason: "reset", message: "the stream broke" } as const) : failureOf(error);
}
