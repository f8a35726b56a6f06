// The interfaces of the HTTP client, its wrappers for circuit breakers and traces, and lists in pages.

import { type Json, type KubeObject, type ListPageRequest, nextPage, notList, readListPage } from "@virt/objects";
import type { Breakers, GuardedAttempt } from "../circuitbreaker/breaker.ts";
import type { Pool } from "./connections.ts";
import { isAboutServer, type ReadResult, type RequestFailure, readResultOf, writeResultOf } from "./outcome.ts";
import type { ApiRequest, BreakerScope, ReadRequest, WriteRequest } from "./request.ts";

/** Sends reads. `Client` is one. */
export type ApiReader = {
  readonly send: (request: ReadRequest, options: SendOptions) => Promise<ApiAnswer | FailedRequest>;
  /** Returns a response instead of a stream if the server refuses, for example with 404 or 410. */
  readonly stream: (request: ReadRequest, options: SendOptions) => Promise<ApiStream | ApiAnswer | FailedRequest>;
};

/** Sends reads, and writes while its write gate is open. Only `Client.under` creates it. */
export type ApiWriter = ApiReader & {
  readonly write: (request: WriteRequest, options: SendOptions) => Promise<ApiAnswer | FailedRequest>;
};

/** `text` is the raw body. `body` is undefined if it is not JSON. */
export type ApiAnswer = {
  readonly kind: "answered";
  readonly status: number;
  readonly body: Json | undefined;
  readonly text: string;
  readonly retryInMs?: number;
  readonly bytes: number;
};

/** A request without a usable response. */
export type FailedRequest = { readonly kind: "failed"; readonly failure: RequestFailure };

/** A watch. `follow` passes on complete lines. It resolves when the stream ends, with the failure if it broke. */
export type ApiStream = {
  readonly kind: "streaming";
  readonly follow: (onLines: (lines: readonly Buffer[]) => void) => Promise<RequestFailure | undefined>;
};

/** The signal cancels the request. Watches, the lease, and other calls use separate connection pools. */
export type SendOptions = {
  readonly signal: AbortSignal;
  readonly pool?: Pool;
  /** The maximum size of the body. The default is 16 MB. */
  readonly mostBytes?: number;
};

/** Called once for each request, when its response starts or it fails. */
export type RequestObserver = (request: ApiRequest, answer: ApiAnswer | FailedRequest | ApiStream) => void;

/** Decides about each request of a wrapped client: calls `send`, or returns a failure without sending it. */
type RequestWrapper = <T extends ApiAnswer | FailedRequest | ApiStream>(
  request: ApiRequest,
  send: () => Promise<T>,
) => Promise<T | FailedRequest>;

/** Returns the same kind of client. The write gate stays inside, so no wrapper can bypass it. */
function wrapClient(client: ApiWriter, wrapper: RequestWrapper): ApiWriter;
function wrapClient(client: ApiReader, wrapper: RequestWrapper): ApiReader;
function wrapClient(client: ApiReader & Partial<ApiWriter>, wrapper: RequestWrapper): ApiReader {
  const { write } = client;
  return {
    send: (request, options) => wrapper(request, () => client.send(request, options)),
    stream: (request, options) => wrapper(request, () => client.stream(request, options)),
    ...(write && {
      write: (request: WriteRequest, options: SendOptions) => wrapper(request, () => write(request, options)),
    }),
  };
}

export function observeRequests(client: ApiWriter, observer: RequestObserver): ApiWriter {
  return wrapClient(client, async (request, send) => {
    const answer = await send();
    observer(request, answer);
    return answer;
  });
}

export type RequestGuard = Pick<GuardedAttempt, "isOpen" | "admit" | "answered" | "unavailable">;

/** The circuit of the whole server. While it is open, it applies to every request. */
const server: BreakerScope = { access: "read", resource: "*" };

const parked: FailedRequest = {
  kind: "failed",
  failure: {
    reason: "parked",
    message: "not sent: circuit breaker is open, the API server is probed once a second",
  },
};

/** Guards the requests of one reconcile or one connection. */
export function guardClient(client: ApiWriter, guard: RequestGuard): ApiWriter;
export function guardClient(client: ApiReader, guard: RequestGuard): ApiReader;
export function guardClient(client: ApiReader, guard: RequestGuard): ApiReader {
  return wrapClient(client, guardedBy(guard));
}

/** Guards requests outside of reconciles. Each is a separate attempt, and none is a probe. */
export function guardEachRequest(client: ApiReader, breakers: Breakers, caller: string): ApiReader {
  let count = 0;
  return wrapClient(client, async (request, send) => {
    const attempt = breakers.begin(`${caller} ${count++}`);
    try {
      return await guardedBy(attempt)(request, send);
    } finally {
      attempt.end();
    }
  });
}

function guardedBy(guard: RequestGuard): RequestWrapper {
  return async ({ scope }, send) => {
    if (guard.admit(guard.isOpen(server) ? server : scope) === "wait") return parked;
    const answer = await send();
    reportAnswer(guard, scope, answer);
    return answer;
  };
}

function reportAnswer(guard: RequestGuard, scope: BreakerScope, answer: ApiAnswer | FailedRequest | ApiStream): void {
  if (answer.kind === "failed" && isAboutServer(answer.failure)) return guard.unavailable(server, answer.failure);
  // A request that this process cancelled or did not send reveals nothing about the server's state.
  const isOurs = answer.kind === "failed" && ["aborted", "fenced", "access", "parked"].includes(answer.failure.reason);
  if (isOurs) return;
  guard.answered(server);
  // A response that is too large shows that the server is working. The next request asks for a smaller page.
  const isTooLarge = answer.kind === "failed" && answer.failure.reason === "too large";
  if (answer.kind === "streaming" || isTooLarge) return guard.answered(scope);
  const result = writeResultOf(answer);
  if (result.kind === "unavailable") guard.unavailable(scope, result);
  else guard.answered(scope);
}

/** "too large": a single object exceeds the limit. "endless": there are more than `mostPages` pages. */
export type ListPagesResult =
  | { readonly kind: "listed" | "too large" | "endless" }
  | Exclude<ReadResult, { readonly kind: "found" }>;

export type ListPagesOptions = {
  readonly client: ApiReader;
  readonly signal: AbortSignal;
  /** The maximum number of pages with `listPageSize` objects. A longer list counts as endless. */
  readonly mostPages: number;
  readonly onItem: (item: KubeObject) => void;
};

/** The number of objects per page, unless they are large. */
export const listPageSize = 500;
/** The size limit of a page in bytes. Parsing a larger one would block the process. */
export const mostPageBytes = 8_000_000;

/** Requests pages until the list is complete. Calls `onItem` for each object as its page arrives. */
export async function listPages(
  requestOf: (page: ListPageRequest) => ReadRequest,
  { client, signal, mostPages, onItem }: ListPagesOptions,
): Promise<ListPagesResult> {
  let page: ListPageRequest = { limit: listPageSize };
  for (let read = 0; read * page.limit < mostPages * listPageSize; ) {
    const answer = await client.send(requestOf(page), { signal, mostBytes: mostPageBytes });
    const reading = isPageTooLarge(answer) ? undefined : readResultOf(answer);
    if (reading !== undefined && reading.kind !== "found") return reading;
    const list = reading && readListPage(reading.object, onItem);
    if (reading !== undefined && list === undefined) return { kind: "unavailable", message: notList };
    const next = nextPage(page, list ?? "too large");
    if (next.is === "complete") return { kind: "listed" };
    if (next.is === "too large") return { kind: "too large" };
    page = next.page;
    if (list !== undefined) read++;
  }
  return { kind: "endless" };
}

/** Reports whether the response exceeds the size limit. */
export function isPageTooLarge(answer: ApiAnswer | FailedRequest): boolean {
  return answer.kind === "failed" && answer.failure.reason === "too large";
}
