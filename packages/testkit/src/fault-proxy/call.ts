// What a request to an API server is about, read from its method, URL and headers. Pure.

import type { IncomingHttpHeaders } from "node:http";

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
export type Call = {
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

type Place = Pick<Call, "group" | "version" | "resource" | "namespace" | "name" | "subresource">;

export function readCall(method: string, url: string, headers: IncomingHttpHeaders): Call {
  const { pathname, searchParams } = new URL(url, "https://server");
  const place = readPlace(pathname.split("/").slice(1).map(decodeURIComponent));
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

const nowhere: Place = { group: "", version: "", resource: "", namespace: "", name: "", subresource: "" };

function readPlace([root, ...parts]: readonly string[]): Place {
  if (root === "api") return readResource({ ...nowhere, version: parts[0] ?? "" }, parts.slice(1));
  if (root !== "apis") return nowhere;
  return readResource({ ...nowhere, group: parts[0] ?? "", version: parts[1] ?? "" }, parts.slice(2));
}

/** What a Namespace has below itself without being in itself. */
const ofNamespaces = ["status", "finalize"];

function readResource(api: Place, parts: readonly string[]): Place {
  const [first = "", second = "", third] = parts;
  const isInside = first === "namespaces" && third !== undefined && !ofNamespaces.includes(third);
  const [resource = "", name = "", ...rest] = isInside ? parts.slice(2) : parts;
  return { ...api, namespace: isInside ? second : "", resource, name, subresource: rest.join("/") };
}

type Manner = { readonly isWatch: boolean; readonly contentType: string };

function verbOf(method: string, { resource, name }: Place, { isWatch, contentType }: Manner): Verb {
  if (resource === "") return "discover";
  if (method === "POST") return "create";
  if (method === "PUT") return "update";
  if (method === "PATCH") return contentType.startsWith("application/apply-patch") ? "apply" : "patch";
  if (method === "DELETE") return name === "" ? "deletecollection" : "delete";
  if (isWatch) return "watch";
  return name === "" ? "list" : "get";
}

/** Goes on whether or not anything happens, so it is not counted unless somebody asks for it by name. */
export function isUpkeep({ group, resource }: Call): boolean {
  const isEvent = resource === "events" && (group === "" || group === "events.k8s.io");
  return isEvent || (resource === "leases" && group === "coordination.k8s.io");
}

/** Questions that are asked with POST and store nothing. */
const reviewGroups = ["authentication.k8s.io", "authorization.k8s.io"];

/** Would change something if it succeeded. */
export function isWrite({ verb, group, isDryRun }: Call): boolean {
  const isRead = verb === "get" || verb === "list" || verb === "watch" || verb === "discover";
  return !isRead && !isDryRun && !reviewGroups.includes(group);
}

/** One line for people: `apply machineconfigs.machineconfiguration.openshift.io worker-psi (dry run)`. */
export function describeCall(call: Call): string {
  const { verb, group, resource, namespace, name, subresource, isDryRun, path } = call;
  if (verb === "discover") return `discover ${path}`;
  const kind = [group === "" ? resource : `${resource}.${group}`, subresource].filter(Boolean).join("/");
  const object = [namespace, name].filter(Boolean).join("/");
  return [verb, kind, object, isDryRun ? "(dry run)" : ""].filter(Boolean).join(" ");
}
