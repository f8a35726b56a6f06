// One HTTP request and its response, within limits.

import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { readJson } from "@virt/objects";
import type { ApiAnswer, FailedRequest } from "./api-client.ts";
import { type RequestFailure, requestFailureOf } from "./outcome.ts";

/** Milliseconds. For streams, `whole` ends with the headers of the response. */
export type ExchangeLimits = { readonly connect: number; readonly whole: number; readonly silence: number };

export type HttpExchange = {
  readonly open: () => ClientRequest;
  readonly body: string | undefined;
  readonly limits: ExchangeLimits;
  /** Called synchronously, right before the first byte is written. Return false to cancel the request. */
  readonly mayLeave: () => boolean;
  readonly signal: AbortSignal;
};

export type HttpResponse = { readonly incoming: IncomingMessage; readonly isReused: boolean };
export type BrokenExchange = { readonly failure: RequestFailure; readonly isReused: boolean };

/** Resolves with the headers of the response. The signal can still end the body after that. */
export function exchangeHttp(what: HttpExchange): Promise<HttpResponse | BrokenExchange> {
  const { limits, signal } = what;
  return new Promise((settle) => {
    if (signal.aborted) return settle({ failure: aborted(signal), isReused: false });
    const outgoing = what.open();
    const stop = (failure: RequestFailure) => outgoing.destroy(Object.assign(new Error(failure.message), { failure }));
    const whole = setTimeout(() => stop(late(`no response within ${limits.whole / 1000} s`)), limits.whole);
    const abortRequest = () => stop(aborted(signal));
    signal.addEventListener("abort", abortRequest, { once: true });
    outgoing.once("close", () => signal.removeEventListener("abort", abortRequest));
    let hasLeft = false;
    outgoing.once("error", (error: Error & { failure?: RequestFailure }) => {
      clearTimeout(whole);
      const failure = error.failure ?? requestFailureOf(error);
      // The connection failed before the request was sent.
      const isUnmade = !hasLeft && failure.reason === "reset";
      settle({ failure: isUnmade ? { ...failure, reason: "unreachable" } : failure, isReused: outgoing.reusedSocket });
    });
    outgoing.once("response", (incoming) => {
      clearTimeout(whole);
      settle({ incoming, isReused: outgoing.reusedSocket });
    });
    const left = () => {
      hasLeft = true;
    };
    outgoing.once("socket", (socket) => leaveWhenConnected(outgoing, socket, { ...what, stop, left }));
  });
}

type Departure = HttpExchange & { readonly stop: (failure: RequestFailure) => void; readonly left: () => void };

function leaveWhenConnected(outgoing: ClientRequest, socket: Socket, departure: Departure): void {
  const { body, limits, mayLeave, stop, left } = departure;
  const leave = () => {
    left();
    if (mayLeave()) outgoing.end(body);
    else stop({ reason: "fenced", message: "lost leadership: write not sent" });
  };
  if (isConnected(socket)) return leave();
  const timer = setTimeout(
    () => stop({ reason: "unreachable", message: `no connection within ${limits.connect / 1000} s` }),
    limits.connect,
  );
  socket.once("encrypted" in socket ? "secureConnect" : "connect", () => {
    clearTimeout(timer);
    leave();
  });
  socket.once("close", () => clearTimeout(timer));
}

// Reports whether the connection is established. `secureConnecting` is not documented, but only it shows a pending TLS
// handshake.
function isConnected(socket: Socket & { readonly secureConnecting?: boolean }): boolean {
  return !socket.connecting && socket.secureConnecting !== true;
}

export type DrainedBody = { readonly isWhole: boolean; readonly error?: unknown };

/** Resolves with the body. Uses events, because an iterator takes several turns of the event loop per chunk. */
function drainBody(incoming: IncomingMessage, onPiece: (piece: Buffer) => void): Promise<DrainedBody> {
  return new Promise((settle) => {
    incoming.on("data", (piece: Buffer) => {
      try {
        onPiece(piece);
      } catch (error) {
        settle({ isWhole: false, error });
        incoming.destroy();
      }
    });
    incoming.once("end", () => settle({ isWhole: incoming.complete }));
    incoming.on("error", (error) => settle({ isWhole: false, error }));
    incoming.once("close", () => settle({ isWhole: false }));
  });
}

/** Returns the whole body, or the failure that interrupted it. */
export async function readBody(
  incoming: IncomingMessage,
  limits: ExchangeLimits,
  maxBytes: number,
): Promise<Buffer | RequestFailure> {
  const pieces: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(
    () => incoming.destroy(new Error(`no data from the API server for ${limits.silence / 1000} s`)),
    limits.silence,
  );
  const { isWhole, error } = await drainBody(incoming, (piece) => {
    timer.refresh();
    size += piece.length;
    if (size > maxBytes) throw new RangeError(`the response is larger than ${maxBytes} bytes`);
    pieces.push(piece);
  });
  clearTimeout(timer);
  if (isWhole) return Buffer.concat(pieces);
  if (error === undefined) return { reason: "cut", message: "response ended early" };
  const { reason, message } = requestFailureOf(error);
  if (reason === "too large") return { reason, message, cause: error };
  return {
    reason: "cut",
    message: message === "aborted" ? "connection closed in the middle of the response" : message,
    cause: error,
  };
}

function aborted(signal: AbortSignal): RequestFailure {
  return { reason: "aborted", message: "request cancelled", cause: signal.reason as unknown };
}

function late(message: string): RequestFailure {
  return { reason: "timeout", message };
}

export function apiAnswerOf({ incoming }: HttpResponse, bytes: Buffer): ApiAnswer | FailedRequest {
  const status = incoming.statusCode ?? 0;
  const text = bytes.toString("utf8");
  const isJson = (incoming.headers["content-type"] ?? "").includes("json");
  const retryInMs = retryAfter(incoming.headers["retry-after"]);
  const answer = {
    kind: "answered",
    status,
    text,
    bytes: bytes.length,
    ...(retryInMs !== undefined && { retryInMs }),
  } as const;
  if (!isJson) return { ...answer, body: undefined };
  try {
    return { ...answer, body: readJson(text) };
  } catch (error) {
    return { kind: "failed", failure: { reason: "cut", message: "the response is not valid JSON", cause: error } };
  }
}

/** Accepts seconds and dates. The API server sends seconds. */
function retryAfter(header: string | undefined): number | undefined {
  const seconds = Number(header);
  return header !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/** Resolves when the stream has ended, with the failure if it broke. */
export async function followStream(
  incoming: IncomingMessage,
  frameBytes: number,
  onLines: (lines: readonly Buffer[]) => void,
) {
  const cutter = new FrameCutter(frameBytes);
  const { isWhole, error } = await drainBody(incoming, (piece) => {
    const lines = cutter.push(piece);
    if (lines.length > 0) onLines(lines);
  });
  if (isWhole) return undefined;
  return error === undefined ? ({ reason: "reset", message: "watch stream broke" } as const) : requestFailureOf(error);
}

const newline = 0x0a;

/** Splits a stream into lines. Throws a RangeError if a line exceeds `limit` bytes. */
export class FrameCutter {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the lines that this chunk completes, without newlines. Drops empty lines. */
  push(piece: Buffer): readonly Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, start)) {
      this.#append(piece.subarray(start, end));
      if (this.#size > 0) lines.push(this.#joined());
      this.#parts = [];
      this.#size = 0;
      start = end + 1;
    }
    this.#append(piece.subarray(start));
    return lines;
  }

  // Does not copy a line that is in a single chunk, because copies would double the memory for a long list.
  #joined(): Buffer {
    const [first] = this.#parts;
    return first !== undefined && this.#parts.length === 1 ? first : Buffer.concat(this.#parts);
  }

  #append(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#limit) throw new RangeError(`a line of the stream is longer than ${this.#limit} bytes`);
    if (part.length > 0) this.#parts.push(part);
  }
}
