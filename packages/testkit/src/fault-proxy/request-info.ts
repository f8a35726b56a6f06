// Parses Kubernetes requests and records the trace of the proxy.

import type { IncomingHttpHeaders } from "node:http";
import type { Fault } from "./fault-plan.ts";

/** The verb as in the audit log, except for `apply` and `discover`. */
export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "apply"
  | "delete"
  | "deletecollection"
  | "discover";

/** Absent parts are empty strings. A non-resource path has the verb `discover`. */
export type RequestInfo = {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  readonly userAgent: string;
};

type ResourcePath = Pick<RequestInfo, "group" | "version" | "resource" | "namespace" | "name" | "subresource">;

export function parseRequestInfo(method: string, url: string, headers: IncomingHttpHeaders): RequestInfo {
  const { pathname, searchParams } = new URL(url, "https://server");
  const place = parsePath(pathname.split("/").slice(1).map(decodeURIComponent));
  const query = Object.fromEntries(searchParams);
  return {
    method,
    path: pathname,
    query,
    ...place,
    verb: verbOf(method, place, { isWatch: isSet(query["watch"]), contentType: headers["content-type"] ?? "" }),
    isDryRun: query["dryRun"] === "All",
    fieldManager: query["fieldManager"] ?? "",
    userAgent: headers["user-agent"] ?? "",
  };
}

function isSet(flag: string | undefined): boolean {
  return flag === "true" || flag === "1";
}

const noResource: ResourcePath = { group: "", version: "", resource: "", namespace: "", name: "", subresource: "" };

function parsePath([root, ...parts]: readonly string[]): ResourcePath {
  if (root === "api") return parseResource({ ...noResource, version: parts[0] ?? "" }, parts.slice(1));
  if (root !== "apis") return noResource;
  return parseResource({ ...noResource, group: parts[0] ?? "", version: parts[1] ?? "" }, parts.slice(2));
}

/** Subresources of a Namespace, not objects in it. */
const ofNamespaces = ["status", "finalize"];

function parseResource(api: ResourcePath, parts: readonly string[]): ResourcePath {
  const [first = "", second = "", third] = parts;
  const isInside = first === "namespaces" && third !== undefined && !ofNamespaces.includes(third);
  const [resource = "", name = "", ...rest] = isInside ? parts.slice(2) : parts;
  return { ...api, namespace: isInside ? second : "", resource, name, subresource: rest.join("/") };
}

type RequestOptions = { readonly isWatch: boolean; readonly contentType: string };

function verbOf(method: string, { resource, name }: ResourcePath, { isWatch, contentType }: RequestOptions): Verb {
  if (resource === "") return "discover";
  if (method === "POST") return "create";
  if (method === "PUT") return "update";
  if (method === "PATCH") return contentType.startsWith("application/apply-patch") ? "apply" : "patch";
  if (method === "DELETE") return name === "" ? "deletecollection" : "delete";
  if (isWatch) return "watch";
  return name === "" ? "list" : "get";
}

/** Reports whether plans count the request only by its resource, because it happens in the background. */
export function isLeaseOrEvent({ group, resource }: RequestInfo): boolean {
  const isEvent = resource === "events" && (group === "" || group === "events.k8s.io");
  return isEvent || (resource === "leases" && group === "coordination.k8s.io");
}

/** Review requests use POST but store nothing. */
const reviewGroups = ["authentication.k8s.io", "authorization.k8s.io"];

export function isWrite({ verb, group, isDryRun }: RequestInfo): boolean {
  const isRead = verb === "get" || verb === "list" || verb === "watch" || verb === "discover";
  return !isRead && !isDryRun && !reviewGroups.includes(group);
}

/** Returns a string such as `apply machineconfigs.machineconfiguration.openshift.io worker-psi (dry run)`. */
export function describeRequest(request: RequestInfo): string {
  const { verb, group, resource, namespace, name, subresource, isDryRun, path } = request;
  if (verb === "discover") return `discover ${path}`;
  const kind = [group === "" ? resource : `${resource}.${group}`, subresource].filter(Boolean).join("/");
  const object = [namespace, name].filter(Boolean).join("/");
  return [verb, kind, object, isDryRun ? "(dry run)" : ""].filter(Boolean).join(" ");
}

/** A request that passed the proxy. */
export type TracedRequest = RequestInfo & {
  /** In order of arrival, from 1. */
  readonly ordinal: number;
  /** Numbers all requests except watches, Leases and Events. Absent for those. */
  readonly requestNumber?: number;
  /** Numbers effective writes in the order of their responses. Absent for Leases and Events. */
  readonly writeNumber?: number;
  /** Absent if the API server did not respond or did not get the request. */
  readonly status?: number;
  /** Absent if the client received no response. */
  readonly clientStatus?: number;
  /** True for a successful (2xx) write that is not a dry run. */
  readonly isEffective: boolean;
  readonly fault?: Fault["kind"];
  readonly startedMs: number;
  readonly endedMs?: number;
};

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export type TraceEntry = Writable<TracedRequest>;

export class Trace {
  readonly #entries: TraceEntry[] = [];
  #counted = 0;
  #writes = 0;

  open(request: RequestInfo, startedMs: number): TraceEntry {
    const entry: TraceEntry = { ...request, ordinal: this.#entries.length + 1, isEffective: false, startedMs };
    if (request.verb !== "watch" && !isLeaseOrEvent(request)) entry.requestNumber = ++this.#counted;
    this.#entries.push(entry);
    return entry;
  }

  recordWrite(entry: TraceEntry): void {
    entry.isEffective = true;
    if (!isLeaseOrEvent(entry)) entry.writeNumber = ++this.#writes;
  }

  read(): readonly TracedRequest[] {
    return this.#entries.map((entry) => ({ ...entry }));
  }
}
