// Judges answers of the API server. Here and nowhere else is decided what a status code means.

import type { Conflict, Json, KubeObject, Outcome } from "@virt/engine";
import type { Answer, Failed } from "./client.ts";

/** What a read can say. */
export type Reading =
  | { readonly kind: "found"; readonly object: KubeObject }
  | { readonly kind: "absent" }
  | Extract<Outcome, { kind: "missing" | "rejected" | "unavailable" }>;

/** A conflict without what only the live object can tell: how and when the other manager came to the field. */
export type BareConflict = Pick<Conflict, "field" | "manager">;

/** What a write can say. `absent`: there is no such object, which for a removal is success. */
export type Writing =
  | Exclude<Outcome, { kind: "conflict" }>
  | { readonly kind: "conflict"; readonly conflicts: readonly BareConflict[] }
  | { readonly kind: "absent" };

/** The API server's own description of what went wrong. */
type Status = {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly kind?: string;
    readonly causes?: readonly { readonly reason?: string; readonly field?: string; readonly message?: string }[];
  };
};

export function readingOf(answer: Answer | Failed): Reading {
  if (answer.kind === "answered" && answer.status === 200) return { kind: "found", object: answer.body as KubeObject };
  const judged = judge(answer);
  const isWriting = judged.kind === "done" || judged.kind === "stale" || judged.kind === "conflict";
  return isWriting ? { kind: "unavailable", message: "the API server answered a read as if it were a write" } : judged;
}

export function writingOf(answer: Answer | Failed): Writing {
  if (answer.kind === "answered" && answer.status >= 200 && answer.status < 300) {
    const isObject = (answer.body as { readonly kind?: string } | undefined)?.kind !== "Status";
    return isObject ? { kind: "done", live: answer.body as KubeObject } : { kind: "done" };
  }
  return judge(answer);
}

function judge(answer: Answer | Failed): Writing {
  if (answer.kind === "failed") return { kind: "unavailable", message: answer.failure.message };
  const status = statusOf(answer.body);
  switch (answer.status) {
    case 404:
      return notFound(status);
    case 409:
      return conflict(answer, status);
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
      // A field that the schema does not declare; nothing but its message tells.
      const isSchema = status?.message?.startsWith("failed to create typed patch object") === true;
      return isSchema ? rejected(answer) : unavailable(answer);
    }
    default:
      return unavailable(answer);
  }
}

// A CRD that is being deleted takes no new objects; soon its kind is not served, or a new CRD takes them.
function isEnding(status: Status | undefined): boolean {
  return status?.message?.includes("custom resource definition is terminating") === true;
}

// A path that is not served is answered in plain text, an object that is not there with a Status.
function notFound(status: Status | undefined): Writing {
  if (status?.details === undefined) return { kind: "missing", what: "kind" };
  return status.details.kind === "namespaces" ? { kind: "missing", what: "namespace" } : { kind: "absent" };
}

function conflict(answer: Answer, status: Status | undefined): Writing {
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

function rejected({ status, body, text }: Answer): Extract<Outcome, { kind: "rejected" }> {
  const said = statusOf(body);
  const message = said?.message ?? text.trim().slice(0, 500);
  const reason = status === 400 && noDryRun.test(message) ? noDryRunReason : (said?.reason ?? `${status}`);
  return { kind: "rejected", reason, message };
}

// The API server in the name of a webhook with side effects, a webhook that says no itself, an aggregated API server;
// nothing but the message tells.
const noDryRun = /^admission webhook .*\bdry[ -]?run\b|^dryRun is not supported/is;
const noDryRunReason = "NoDryRun";

/** It says nothing about the object: only that it cannot be asked about by a dry run. */
export function isDryRunRefused(outcome: Outcome): boolean {
  return outcome.kind === "rejected" && outcome.reason === noDryRunReason;
}

function unavailable({ status, body, text, retryInMs }: Answer): Extract<Outcome, { kind: "unavailable" }> {
  const said = statusOf(body)?.message ?? text.trim().slice(0, 500);
  const message = said === "" ? `the API server answered ${status}` : `the API server answered ${status}: ${said}`;
  return { kind: "unavailable", message, ...(retryInMs !== undefined && { retryInMs }) };
}

function statusOf(body: Json | undefined): Status | undefined {
  const isStatus = (body as { readonly kind?: string } | null | undefined)?.kind === "Status";
  return isStatus ? (body as Status) : undefined;
}
