// What a request to an API server is about, read from its method, URL and headers, and the trace of all that passed the proxy.

import type { IncomingHttpHeaders } from "node:http";
import type { Fault } from "./fault-plan.ts";

/** The verb of a request, as the audit log names it. */
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

/** Empty texts stand for what is absent; a path that is no resource has no `resource` and the verb `discover`. */
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

/** What a Namespace has below itself without being in itself. */
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

/** Goes on whether or not anything happens, so it is not counted unless somebody asks for it by name. */
export function isLeaseOrEvent({ group, resource }: RequestInfo): boolean {
  const isEvent = resource === "events" && (group === "" || group === "events.k8s.io");
  return isEvent || (resource === "leases" && group === "coordination.k8s.io");
}

/** Questions that are asked with POST and store nothing. */
const reviewGroups = ["authentication.k8s.io", "authorization.k8s.io"];

/** Would change something if it succeeded. */
export function isWrite({ verb, group, isDryRun }: RequestInfo): boolean {
  const isRead = verb === "get" || verb === "list" || verb === "watch" || verb === "discover";
  return !isRead && !isDryRun && !reviewGroups.includes(group);
}

/** One line for people: `apply machineconfigs.machineconfiguration.openshift.io worker-psi (dry run)`. */
export function describeRequest(request: RequestInfo): string {
  const { verb, group, resource, namespace, name, subresource, isDryRun, path } = request;
  if (verb === "discover") return `discover ${path}`;
  const kind = [group === "" ? resource : `${resource}.${group}`, subresource].filter(Boolean).join("/");
  const object = [namespace, name].filter(Boolean).join("/");
  return [verb, kind, object, isDryRun ? "(dry run)" : ""].filter(Boolean).join(" ");
}

/** A request that went through the proxy, with what became of it. */
export type TracedRequest = RequestInfo & {
  /** Among all requests, from 1, in the order in which they came. */
  readonly ordinal: number;
  /** Among those that are no watch, no Lease and no Event; they have none. */
  readonly requestNumber?: number;
  /** Among the effective writes, in the order of their answers; Leases and Events have none. */
  readonly writeNumber?: number;
  /** What the API server answered; absent if it was not asked or has not answered yet. */
  readonly status?: number;
  /** What the client got; absent if it got no answer. */
  readonly clientStatus?: number;
  /** Answered 2xx, and neither a read nor a dry run. */
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

  /** A copy: it does not change any more. */
  read(): readonly TracedRequest[] {
    return this.#entries.map((entry) => ({ ...entry }));
  }
}
