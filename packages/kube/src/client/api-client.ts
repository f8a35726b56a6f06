// The interfaces of the HTTP client. Every response and every failure is a value.

import type { Json } from "@virt/objects";
import type { Pool } from "./connections.ts";
import type { RequestFailure } from "./outcome.ts";
import type { ApiRequest, ReadRequest, WriteRequest } from "./request.ts";

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
export type RequestWrapper = <T extends ApiAnswer | FailedRequest | ApiStream>(
  request: ApiRequest,
  send: () => Promise<T>,
) => Promise<T | FailedRequest>;

/** Returns the same kind of client. The write gate stays inside, so no wrapper can bypass it. */
export function wrapClient(client: ApiWriter, wrapper: RequestWrapper): ApiWriter;
export function wrapClient(client: ApiReader, wrapper: RequestWrapper): ApiReader;
export function wrapClient(client: ApiReader & Partial<ApiWriter>, wrapper: RequestWrapper): ApiReader {
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
