// Failures in the words of an API server: the Status object, its reason and its headers.

import type { AnswerFault } from "./plan.ts";

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

export type FailureCode = keyof typeof failures;

export type Told = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export function failureAnswer(status: FailureCode, retryAfterSeconds?: number): Told {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const body = Buffer.from(JSON.stringify({ ...statusObject(status), ...details }));
  const later = retryAfterSeconds === undefined ? {} : { "retry-after": `${retryAfterSeconds}` };
  const headers = { "content-type": "application/json", "content-length": `${body.length}`, ...later };
  return { status, headers, body };
}

/** Servers send Retry-After with every 429. */
export function answerOf({ status, retryAfterSeconds }: AnswerFault): Told {
  return failureAnswer(status, status === 429 ? (retryAfterSeconds ?? 1) : retryAfterSeconds);
}

/** What a streaming list gets from an API server whose etcd cannot tell how far it is. */
export function refusedStream(): string {
  const message = "a streaming list is not possible here: the storage does not support RequestWatchProgress";
  return `${JSON.stringify({ type: "ERROR", object: { ...statusObject(500), message } })}\n`;
}

function statusObject(status: FailureCode) {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...failures[status], code: status };
}
