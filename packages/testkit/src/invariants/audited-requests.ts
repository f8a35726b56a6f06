// Converts audit events for the invariants, one entry per finished request.

import type { Json } from "@virt/objects";
import type { AuditEvent } from "../server/audit.ts";

/** Absent parts are empty strings. Times are in milliseconds, with microseconds as fractions. */
export type AuditedRequest = {
  readonly receivedMs: number;
  readonly completedMs: number;
  readonly account: string;
  readonly userAgent: string;
  /** The authorization verb: an apply is a `patch`. */
  readonly verb: string;
  readonly code: number;
  readonly failure: { readonly message: string; readonly causes: readonly StatusCause[] };
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly isDryRun: boolean;
  readonly isForced: boolean;
  readonly fieldManager: string;
  readonly request: Json | undefined;
  readonly response: Json | undefined;
};

type StatusCause = { readonly reason?: string; readonly field?: string };

/** Returns the requests in log order, which is the order of the responses. */
export function readAuditedRequests(events: readonly AuditEvent[]): readonly AuditedRequest[] {
  return events.filter(({ stage }) => stage === "ResponseComplete").map(readAuditedRequest);
}

function readAuditedRequest(event: AuditEvent): AuditedRequest {
  const { apiGroup = "", resource = "", subresource = "", namespace = "", name = "" } = event.objectRef ?? {};
  const query = new URLSearchParams(event.requestURI.split("?")[1] ?? "");
  return {
    receivedMs: readMicroTime(event.requestReceivedTimestamp),
    completedMs: readMicroTime(event.stageTimestamp ?? event.requestReceivedTimestamp),
    account: event.user.username,
    userAgent: event.userAgent ?? "",
    verb: event.verb,
    code: event.responseStatus?.code ?? 0,
    failure: {
      message: event.responseStatus?.message ?? "",
      causes: event.responseStatus?.details?.causes ?? [],
    },
    group: apiGroup,
    resource,
    subresource,
    namespace,
    name,
    isDryRun: query.get("dryRun") === "All",
    isForced: query.get("force") === "true",
    fieldManager: query.get("fieldManager") ?? "",
    request: event.requestObject as Json | undefined,
    response: event.responseObject as Json | undefined,
  };
}

function readMicroTime(text: string): number {
  const micros = /\.\d{3}(\d{3})/.exec(text)?.[1] ?? "0";
  return Date.parse(text) + Number(micros) / 1000;
}

const writes = ["create", "update", "patch", "delete", "deletecollection"];

/** Review requests use `create` but store nothing. */
const reviewGroups = ["authentication.k8s.io", "authorization.k8s.io"];

/** Includes failed requests and dry runs. */
export function isWriteAttempt({ verb, group }: AuditedRequest): boolean {
  return writes.includes(verb) && !reviewGroups.includes(group);
}

/** Includes no-op writes. */
export function isEffectiveWrite(request: AuditedRequest): boolean {
  return isWriteAttempt(request) && request.code >= 200 && request.code < 300 && !request.isDryRun;
}

/** Recognizes an apply by its field manager and complete object, because the log lacks the content type. */
export function isApply({ verb, fieldManager, request }: AuditedRequest): boolean {
  const isObject = typeof request === "object" && request !== null && "apiVersion" in request && "kind" in request;
  return verb === "patch" && fieldManager !== "" && isObject;
}

/** Returns a string such as `machineconfigs.machineconfiguration.openshift.io/99-worker-psi-karg`. */
export function describeObject({ group, resource, subresource, namespace, name }: AuditedRequest): string {
  const kind = group === "" ? resource : `${resource}.${group}`;
  return [kind, namespace, name, subresource].filter((part) => part !== "").join("/");
}
