// Builds requests to the API server. Does no I/O, so that tests can check every URL without a server.

import type { Json } from "@virt/objects";

/** A kind as the server serves it, from discovery or a declaration. Plural names are never derived by rule. */
export type Resource = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
};

/** An object or a collection. No namespace: all namespaces, or a cluster-scoped kind. No name: the collection. */
export type ObjectPlace = { readonly namespace?: string; readonly name?: string; readonly subresource?: string };

type RequestTarget = {
  /** The path below the server's own path, with the query. */
  readonly path: string;
  readonly accept?: string;
  /** The key for circuit breakers and metrics. */
  readonly scope: BreakerScope;
};

/** A request that changes nothing. It ignores the write gate. */
export type ReadRequest = RequestTarget & { readonly method: "GET" };

/** A request that only an `ApiWriter` sends. */
export type WriteRequest = RequestTarget & {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly contentType: string;
  readonly body: string;
  /** True if a success changes nothing. The request then ignores the write gate. */
  readonly isDryRun: boolean;
};

/** A read or a write, for code that handles both. */
export type ApiRequest = ReadRequest | WriteRequest;

/** Requests of one scope share a circuit breaker. */
export type BreakerScope = { readonly access: "read" | "write"; readonly resource: string };

/** Restricts a list or watch. By default, it covers all objects at the latest version. */
export type ListSelection = {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
};

/** Makes the server send only the metadata of objects. */
export const metadataOnly = {
  object: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
} as const;

/** The format of the response, such as `metadataOnly`. */
export type AcceptOptions = { readonly accept?: string };

/** Returns the request that reads one object. */
export function getObject(resource: Resource, place: ObjectPlace, { accept }: AcceptOptions = {}): ReadRequest {
  return { ...read(resource, pathOf(resource, place)), ...(accept && { accept }) };
}

/** One page of a list: at most `limit` items, starting at the token `continue`. */
export type ListOptions = ListSelection & AcceptOptions & { readonly limit?: number; readonly continue?: string };

/** Returns the request for one page of a collection. */
export function listObjects(
  resource: Resource,
  place: ObjectPlace,
  { accept, ...page }: ListOptions = {},
): ReadRequest {
  return { ...read(resource, withQuery(pathOf(resource, place), page)), ...(accept && { accept }) };
}

/** The start of a watch, and the seconds after which the server ends it. */
export type WatchOptions = ListSelection &
  AcceptOptions & { readonly timeoutSeconds: number; readonly sendInitialEvents?: boolean };

/** Returns the request for a watch with bookmarks. */
export function watchObjects(
  resource: Resource,
  place: ObjectPlace,
  { accept, ...following }: WatchOptions,
): ReadRequest {
  const query = { watch: true, allowWatchBookmarks: true, ...following };
  return { ...read(resource, withQuery(pathOf(resource, place), query)), ...(accept && { accept }) };
}

/** Options of every write. */
export type WriteOptions = { readonly isDryRun?: boolean; readonly fieldManager?: string; readonly isStrict?: boolean };

/** Returns the request that creates an object. */
export function createObject(
  resource: Resource,
  place: ObjectPlace,
  body: Json,
  options: WriteOptions = {},
): WriteRequest {
  return write({ method: "POST", resource, path: pathOf(resource, place), body, options });
}

/** Returns the request that replaces an object. The server rejects an out-of-date resourceVersion in the body. */
export function replaceObject(
  resource: Resource,
  place: ObjectPlace,
  body: Json,
  options: WriteOptions = {},
): WriteRequest {
  return write({ method: "PUT", resource, path: pathOf(resource, place), body, options });
}

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** `force` takes over fields of other managers. Only for `apply`. */
export type PatchOptions = WriteOptions & { readonly type: keyof typeof patchTypes; readonly force?: boolean };

/** Returns the request for a JSON patch, a merge patch or a server-side apply. */
export function patchObject(
  resource: Resource,
  place: ObjectPlace,
  body: Json,
  { type, force, ...options }: PatchOptions,
): WriteRequest {
  const query = force === true ? { force } : {};
  const path = pathOf(resource, place);
  return { ...write({ method: "PATCH", resource, path, body, options, query }), contentType: patchTypes[type] };
}

/** Preconditions of a deletion. The uid is required, so that only the known object is deleted. */
export type DeleteOptions = {
  readonly preconditions: { readonly uid: string; readonly resourceVersion?: string };
  readonly isDryRun?: boolean;
};

/** Returns the request that deletes an object, with its uid as a precondition. */
export function deleteObject(
  resource: Resource,
  place: ObjectPlace,
  { preconditions, isDryRun }: DeleteOptions,
): WriteRequest {
  // The server ignores the query of a deletion that has a body.
  const dryRun = isDryRun === true ? { dryRun: ["All"] } : {};
  const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions, propagationPolicy: "Background", ...dryRun };
  const options = isDryRun === true ? { isDryRun } : {};
  return write({ method: "DELETE", resource, path: pathOf(resource, place), body, options });
}

/** Returns the request for a path that is not an object, such as discovery, version or health. */
export function getPath(path: string): ReadRequest {
  return { method: "GET", path, scope: { access: "read", resource: path } };
}

/** Returns `<plural>.<group>`, as kubectl writes it. */
export function resourceName({ group, plural }: Resource): string {
  return group === "" ? plural : `${plural}.${group}`;
}

function pathOf(resource: Resource, { namespace, name, subresource }: ObjectPlace): string {
  const { group, version, plural, isNamespaced } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  if (isNamespaced && namespace === undefined && name !== undefined) {
    throw new Error(`${resourceName(resource)} ${name} is namespaced, but no namespace is given`);
  }
  const scope = isNamespaced && namespace !== undefined ? ["namespaces", namespace] : [];
  const parts = [...scope, plural, name, subresource].filter((part) => part !== undefined);
  return [root, ...parts.map(encodeURIComponent)].join("/");
}

function read(resource: Resource, path: string): ReadRequest {
  return { method: "GET", path, scope: { access: "read", resource: resourceName(resource) } };
}

type WriteParts = {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly resource: Resource;
  readonly path: string;
  readonly body: Json;
  readonly options: WriteOptions;
  readonly query?: Query;
};

function write({ method, resource, path, body, options, query = {} }: WriteParts): WriteRequest {
  const { isDryRun = false, fieldManager, isStrict = false } = options;
  const asked = {
    ...(isDryRun && { dryRun: "All" }),
    ...(fieldManager !== undefined && { fieldManager }),
    ...(isStrict && { fieldValidation: "Strict" }),
    ...query,
  };
  return {
    method,
    path: withQuery(path, asked),
    body: JSON.stringify(body),
    contentType: "application/json",
    scope: { access: "write", resource: resourceName(resource) },
    isDryRun,
  };
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  if (given.length === 0) return path;
  return `${path}?${given.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join("&")}`;
}
