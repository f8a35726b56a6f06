// The audit log as the invariants read it: one entry per finished request, with its place, its manner and its bodies.

import type { Json } from "@virt/engine";
import type { AuditEvent } from "../server/audit.ts";

/** Empty texts stand for what is absent. Times are milliseconds, with microseconds behind the point. */
export type Audited = {
  readonly receivedMs: number;
  readonly completedMs: number;
  readonly account: string;
  readonly userAgent: string;
  /** The authorization verb: an apply is a `patch`. */
  readonly verb: string;
  readonly code: number;
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

/** In the order of the log, which is that of the answers. Requests that are still running are left out. */
export function readAudited(events: readonly AuditEvent[]): readonly Audited[] {
  return events.filter(({ stage }) => stage === "ResponseComplete").map(readOne);
}

function readOne(event: AuditEvent): Audited {
  const { apiGroup = "", resource = "", subresource = "", namespace = "", name = "" } = event.objectRef ?? {};
  const query = new URLSearchParams(event.requestURI.split("?")[1] ?? "");
  return {
    receivedMs: readMicroTime(event.requestReceivedTimestamp),
    completedMs: readMicroTime(event.stageTimestamp ?? event.requestReceivedTimestamp),
    account: event.user.username,
    userAgent: event.userAgent ?? "",
    verb: event.verb,
    code: event.responseStatus?.code ?? 0,
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

/** Date knows milliseconds only. */
function readMicroTime(text: string): number {
  const micros = /\.\d{3}(\d{3})/.exec(text)?.[1] ?? "0";
  return Date.parse(text) + Number(micros) / 1000;
}

const writes = ["create", "update", "patch", "delete", "deletecollection"];

/** Questions that are asked with `create` and store nothing. */
const reviewGroups = ["authentication.k8s.io", "authorization.k8s.io"];

/** Succeeded and was no dry run. That it found everything as it was already does not excuse it. */
export function isEffective({ verb, code, isDryRun, group }: Audited): boolean {
  return writes.includes(verb) && code >= 200 && code < 300 && !isDryRun && !reviewGroups.includes(group);
}

/** The log does not tell the content type: an apply is a patch by a named manager that carries a whole object. */
export function isApply({ verb, fieldManager, request }: Audited): boolean {
  const isObject = typeof request === "object" && request !== null && "apiVersion" in request && "kind" in request;
  return verb === "patch" && fieldManager !== "" && isObject;
}

/** `machineconfigs.machineconfiguration.openshift.io/99-worker-psi-karg`. */
export function objectOf({ group, resource, subresource, namespace, name }: Audited): string {
  const kind = group === "" ? resource : `${resource}.${group}`;
  return [kind, namespace, name, subresource].filter((part) => part !== "").join("/");
}
