// Converts responses of the API server and failures into values. Only this file interprets status codes and exceptions.

import type { BareConflict, Json, KubeObject, Outcome, WriteResult } from "@virt/objects";
import type { ApiAnswer, FailedRequest } from "./api-client.ts";

/** The result of a read. `absent`: the kind is served, but the object does not exist. */
export type ReadResult =
  | { readonly kind: "found"; readonly object: KubeObject }
  | { readonly kind: "absent" }
  | Extract<Outcome, { kind: "missing" | "rejected" | "unavailable" }>;

/** The body of an error response. */
type ApiStatus = {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly kind?: string;
    readonly causes?: readonly { readonly reason?: string; readonly field?: string; readonly message?: string }[];
  };
};

/** Converts the response to a read of one object. Never throws. */
export function readResultOf(answer: ApiAnswer | FailedRequest): ReadResult {
  if (answer.kind === "answered" && answer.status === 200) return { kind: "found", object: answer.body as KubeObject };
  const result = classify(answer);
  const isWriteResult = result.kind === "done" || result.kind === "stale" || result.kind === "conflict";
  return isWriteResult
    ? { kind: "unavailable", message: "the API server returned a write response for a read" }
    : result;
}

/** Interprets the response to a write. `done` has no `live` after a delete. */
export function writeResultOf(answer: ApiAnswer | FailedRequest): WriteResult {
  if (answer.kind === "answered" && answer.status >= 200 && answer.status < 300) {
    const isObject = (answer.body as { readonly kind?: string } | undefined)?.kind !== "Status";
    return isObject ? { kind: "done", live: answer.body as KubeObject } : { kind: "done" };
  }
  return classify(answer);
}

function classify(answer: ApiAnswer | FailedRequest): WriteResult {
  if (answer.kind === "failed") return { kind: "unavailable", message: answer.failure.message };
  const status = statusOf(answer.body);
  switch (answer.status) {
    case 404:
      return isDenial(status) ? unavailable(answer) : notFound(status);
    case 409:
      return isDenial(status) ? unavailable(answer) : conflict(answer, status);
    case 400:
    case 403:
    case 405:
    case 413:
    case 415:
      return isEnding(status) ? unavailable(answer) : rejected(answer);
    case 422: {
      const isOtherObject = status?.details?.causes?.some(({ field }) => field === "metadata.uid") === true;
      return isOtherObject ? { kind: "stale" } : rejected(answer);
    }
    case 500: {
      // Only the message shows that the schema does not declare a field.
      const isSchema = status?.message?.startsWith("failed to create typed patch object") === true;
      return isSchema ? rejected(answer) : unavailable(answer);
    }
    default:
      return unavailable(answer);
  }
}

// Reports whether the CRD is being deleted. It then accepts no new objects, but a retry shows whether a new CRD does.
function isEnding(status: ApiStatus | undefined): boolean {
  return status?.message?.includes("custom resource definition is terminating") === true;
}

// Reports whether a webhook denied the request. HCO's webhook passes on errors from dry runs of its operands: 404 for
// an operand that does not exist yet, 409 for one that was modified. It accepts the same request later. Checked against
// `errToResponse` in
// pkg/webhooks/validator/validator.go of kubevirt/hyperconverged-cluster-operator at 03da3cf, and against release-1.17,
// which does not retry after a 409.
function isDenial(status: ApiStatus | undefined): boolean {
  return status?.message?.startsWith("admission webhook ") === true;
}

// The server responds with plain text if the path is not served, and with a Status if the object does not exist.
function notFound(status: ApiStatus | undefined): WriteResult {
  if (status?.details === undefined) return { kind: "missing", what: "kind" };
  return status.details.kind === "namespaces" ? { kind: "missing", what: "namespace" } : { kind: "absent" };
}

function conflict(answer: ApiAnswer, status: ApiStatus | undefined): WriteResult {
  if (status?.reason === "AlreadyExists") return { kind: "stale" };
  const causes = status?.details?.causes ?? [];
  const conflicts = causes.filter(({ reason }) => reason === "FieldManagerConflict").map(bareConflict);
  if (conflicts.length > 0) return { kind: "conflict", conflicts };
  return causes.length === 0 ? { kind: "stale" } : rejected(answer);
}

function bareConflict({
  field = "",
  message = "",
}: {
  readonly field?: string;
  readonly message?: string;
}): BareConflict {
  return { field: field.replace(/^\./, ""), manager: /"((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? "" };
}

function rejected({ status, body, text }: ApiAnswer): Extract<Outcome, { kind: "rejected" }> {
  const apiStatus = statusOf(body);
  const message = apiStatus?.message ?? text.trim().slice(0, 500);
  const reason = status === 400 && noDryRun.test(message) ? noDryRunReason : (apiStatus?.reason ?? `${status}`);
  return { kind: "rejected", reason, message };
}

// Matches rejections by the API server on behalf of a webhook with side effects, by a webhook, and by an aggregated API
// server. Only the message shows this.
const noDryRun = /^admission webhook .*\bdry[ -]?run\b|^dryRun is not supported/is;
const noDryRunReason = "NoDryRun";

/** Reports whether a webhook does not support dry runs, so that nothing is known about the object. */
export function isDryRunRefused(outcome: Outcome): boolean {
  return outcome.kind === "rejected" && outcome.reason === noDryRunReason;
}

function unavailable({ status, body, text, retryInMs }: ApiAnswer): Extract<Outcome, { kind: "unavailable" }> {
  const detail = statusOf(body)?.message ?? text.trim().slice(0, 500);
  const message = detail === "" ? `the API server returned ${status}` : `the API server returned ${status}: ${detail}`;
  return { kind: "unavailable", message, ...(retryInMs !== undefined && { retryInMs }) };
}

function statusOf(body: Json | undefined): ApiStatus | undefined {
  const isStatus = (body as { readonly kind?: string } | null | undefined)?.kind === "Status";
  return isStatus ? (body as ApiStatus) : undefined;
}

/** The reason for a missing or unusable response. */
export type FailureReason =
  | "refused" // no server listens
  | "unresolved" // no such host
  | "unreachable" // no connection could be established
  | "reset" // the connection was lost
  | "timeout" // no response in time
  | "unauthorized" // the server refuses our credentials, and they are not tried again yet
  | "tls" // we do not trust the server, or it does not trust us
  | "cut" // the response is incomplete
  | "too large" // the response, or a line of it, exceeds its limit
  | "aborted" // cancelled by this process
  | "fenced" // a write that must no longer be sent
  | "parked" // not sent while the server is known to be down
  | "access"; // our credentials cannot be read

/** `message` is one line for users. */
export type RequestFailure = { readonly reason: FailureReason; readonly message: string; readonly cause?: unknown };

/** Reports whether the failure concerns the whole server, regardless of the request. */
export function isAboutServer({ reason }: RequestFailure): boolean {
  return (
    reason === "refused" ||
    reason === "unresolved" ||
    reason === "unreachable" ||
    reason === "unauthorized" ||
    reason === "tls"
  );
}

const byCode: Readonly<Record<string, FailureReason>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "unresolved",
  EAI_AGAIN: "unresolved",
  ETIMEDOUT: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ABORT_ERR: "aborted",
};

export function requestFailureOf(error: unknown): RequestFailure {
  const { code, message } =
    error instanceof Error ? (error as Error & { code?: string }) : { code: "", message: String(error) };
  if (error instanceof RangeError) return { reason: "too large", message, cause: error };
  if (code === "access") return { reason: "access", message, cause: error };
  const reason = byCode[code ?? ""] ?? (isTls(code ?? "") ? "tls" : "reset");
  return { reason, message, cause: error };
}

function isTls(code: string): boolean {
  return /CERT|SSL|TLS|ISSUER|VERIFY/.test(code);
}
