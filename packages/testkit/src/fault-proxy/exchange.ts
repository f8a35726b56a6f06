// Both ends of a proxied request, and failure responses.

import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import type { AnswerFault } from "./fault-plan.ts";
import type { RequestInfo, TraceEntry } from "./request-info.ts";

export type ProxyExchange = {
  readonly request: RequestInfo;
  readonly entry: TraceEntry;
  readonly upstreamRequest: UpstreamRequest;
  /** Aborted when the client disconnects or has the whole response. */
  readonly closed: AbortSignal;
  readonly respond: (response: ProxyResponse) => Promise<void>;
  /** Sends half of a response with its full Content-Length, then resets the connection. */
  readonly respondHalf: (response: ProxyResponse) => Promise<void>;
  readonly startResponse: (head: Omit<ProxyResponse, "body">) => void;
  readonly write: (bytes: Buffer) => Promise<void>;
  readonly end: () => void;
  readonly reset: () => void;
};

export type ExchangeSockets = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
};

export function openExchange(
  { response, socket }: ExchangeSockets,
  parts: Pick<ProxyExchange, "request" | "entry" | "upstreamRequest">,
): ProxyExchange {
  const closing = new AbortController();
  response.once("close", () => closing.abort());
  const closed = closing.signal;
  const startResponse = ({ status, headers }: Omit<ProxyResponse, "body">) => {
    parts.entry.clientStatus = status;
    if (!closed.aborted) response.writeHead(status, headers);
    response.flushHeaders();
  };
  // `response.write` never calls back if the client disconnects first.
  const write = (bytes: Buffer) => whenDone(closed, (done) => response.write(bytes, () => done()));
  const reset = () => void socket.resetAndDestroy();
  return {
    ...parts,
    closed,
    startResponse,
    write,
    reset,
    end: () => void response.end(),
    respond: async ({ body, ...head }) => {
      startResponse(head);
      await whenDone(closed, (done) => response.end(body, () => done()));
    },
    respondHalf: async ({ body, ...head }) => {
      startResponse(head);
      await write(body.subarray(0, body.length >> 1));
      reset();
    },
  };
}

export function whenDone(closed: AbortSignal, start: (done: () => void) => void = () => undefined): Promise<void> {
  return new Promise((resolve) => {
    if (closed.aborted) return resolve();
    const settle = () => {
      closed.removeEventListener("abort", settle);
      resolve();
    };
    closed.addEventListener("abort", settle);
    start(settle);
  });
}

type UpstreamRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type Upstream = {
  readonly send: (request: UpstreamRequest) => Promise<IncomingMessage>;
  readonly close: () => void;
};

export function openUpstream(url: string, authority: string): Upstream {
  const agent = new Agent({ keepAlive: true, ca: authority });
  const send = async ({ method, url: path, headers, body }: UpstreamRequest) => {
    const outgoing = request(new URL(path, url), { method, agent, headers: forwardedHeaders(headers, body) });
    outgoing.end(body);
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    return incoming;
  };
  return { send, close: () => agent.destroy() };
}

export async function readResponse(incoming: IncomingMessage): Promise<ProxyResponse> {
  const body = await buffer(incoming);
  const { headers } = responseHead(incoming);
  return { status: incoming.statusCode ?? 0, headers: { ...headers, "content-length": `${body.length}` }, body };
}

export function responseHead({ statusCode = 0, headers }: IncomingMessage) {
  return { status: statusCode, headers: withoutHopHeaders(headers) as Readonly<Record<string, string>> };
}

const hopHeaders = ["connection", "keep-alive", "transfer-encoding", "content-length", "upgrade", "te", "trailer"];

function withoutHopHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopHeaders.includes(name)));
}

function forwardedHeaders(headers: IncomingHttpHeaders, body: Buffer): IncomingHttpHeaders {
  const { host: _host, "accept-encoding": _encoding, accept, ...others } = withoutHopHeaders(headers);
  // Without a length, Node sends a DELETE body in chunks. The API server then ignores its preconditions.
  const sized = body.length > 0 ? { "content-length": `${body.length}` } : {};
  return { ...others, ...(accept !== undefined && { accept: jsonOnly(accept) }), ...sized };
}

/** Only JSON responses can be split into frames and cut at a known place. */
function jsonOnly(accept: string): string {
  const kept = accept.split(",").filter((type) => !type.trim().startsWith("application/vnd.kubernetes.protobuf"));
  return kept.length > 0 ? kept.join(",") : "application/json";
}

const failures = {
  401: { reason: "Unauthorized", message: "Unauthorized" },
  403: { reason: "Forbidden", message: "forbidden: refused by the fault proxy" },
  404: { reason: "NotFound", message: "the server could not find the requested resource" },
  409: {
    reason: "Conflict",
    message:
      "Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again",
  },
  429: {
    reason: "TooManyRequests",
    message: "the server has received too many requests and has asked us to try again later",
  },
  500: { reason: "InternalError", message: "Internal error occurred: injected by the fault proxy" },
  503: { reason: "ServiceUnavailable", message: "the server is currently unable to handle the request" },
  504: { reason: "Timeout", message: "Timeout: request did not complete within the allotted timeout" },
} as const;

type FailureCode = keyof typeof failures;

export type ProxyResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export function failureResponse(status: FailureCode, retryAfterSeconds?: number): ProxyResponse {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const body = Buffer.from(JSON.stringify({ ...statusObject(status), ...details }));
  const later = retryAfterSeconds === undefined ? {} : { "retry-after": `${retryAfterSeconds}` };
  const headers = { "content-type": "application/json", "content-length": `${body.length}`, ...later };
  return { status, headers, body };
}

/** Adds Retry-After to every 429, as API servers do. */
export function responseForFault({ status, retryAfterSeconds }: AnswerFault): ProxyResponse {
  return failureResponse(status, status === 429 ? (retryAfterSeconds ?? 1) : retryAfterSeconds);
}

/** Returns the response of an API server whose etcd does not report its progress. */
export function streamingListRefusal(): string {
  const message = "a streaming list is not possible here: the storage does not support RequestWatchProgress";
  return `${JSON.stringify({ type: "ERROR", object: { ...statusObject(500), message } })}\n`;
}

function statusObject(status: FailureCode) {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...failures[status], code: status };
}
