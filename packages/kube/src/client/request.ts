// Builds requests to the API server. Pure: every URL can be tested without a server.

import type { Json } from "@virt/objects";

/** A kind as the server serves it. Nothing is pluralised by rule: this comes from discovery or from a declaration. */
export type Resource = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
};

/**
 * An object or a collection. Without a namespace: all of them, or a cluster-scoped kind; without a name: the collection.
 */
export type ObjectPlace = { readonly namespace?: string; readonly name?: string; readonly subresource?: string };

type RequestTarget = {
  /** With its query, below the server's own path. */
  readonly path: string;
  readonly accept?: string;
  /** What the breaker, the limits and the metrics go by. */
  readonly scope: BreakerScope;
};

/** Changes nothing, so no gate is asked. */
export type ReadRequest = RequestTarget & { readonly method: "GET" };

/** Sent only by an `ApiWriter`. */
export type WriteRequest = RequestTarget & {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly contentType: string;
  readonly body: string;
  /** Changes nothing if it succeeds: no gate keeps it back. */
  readonly isDryRun: boolean;
};

/** A request as the client sends it. */
export type ApiRequest = ReadRequest | WriteRequest;

/** Requests of one scope share a circuit breaker. */
export type BreakerScope = { readonly access: "read" | "write"; readonly resource: string };

/** What a list or a watch returns; absent: everything, at the newest version. */
export type ListSelection = {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
};

/** Drops everything but metadata on the server's side. */
export const metadataOnly = {
  object: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
} as const;

/** Another form of the answer, such as `metadataOnly`. */
export type AcceptOptions = { readonly accept?: string };

/** GET one object. */
export function getObject(resource: Resource, place: ObjectPlace, { accept }: AcceptOptions = {}): ReadRequest {
  return { ...read(resource, pathOf(resource, place)), ...(accept && { accept }) };
}

/** One page of a list: at most `limit` items, from `continue` on. */
export type ListOptions = ListSelection & AcceptOptions & { readonly limit?: number; readonly continue?: string };

/** GET one page of a collection. */
export function listObjects(
  resource: Resource,
  place: ObjectPlace,
  { accept, ...page }: ListOptions = {},
): ReadRequest {
  return { ...read(resource, withQuery(pathOf(resource, place), page)), ...(accept && { accept }) };
}

/** How a watch begins, and after how many seconds the server ends it. */
export type WatchOptions = ListSelection &
  AcceptOptions & { readonly timeoutSeconds: number; readonly sendInitialEvents?: boolean };

/** GET a watch, with bookmarks. */
export function watchObjects(
  resource: Resource,
  place: ObjectPlace,
  { accept, ...following }: WatchOptions,
): ReadRequest {
  const query = { watch: true, allowWatchBookmarks: true, ...following };
  return { ...read(resource, withQuery(pathOf(resource, place), query)), ...(accept && { accept }) };
}

/** What every write may ask for. */
export type WriteOptions = { readonly isDryRun?: boolean; readonly fieldManager?: string; readonly isStrict?: boolean };

/** POST a new object. */
export function createObject(
  resource: Resource,
  place: ObjectPlace,
  body: Json,
  options: WriteOptions = {},
): WriteRequest {
  return write({ method: "POST", resource, path: pathOf(resource, place), body, options });
}

/** Carries the resourceVersion that was read inside the body: the server refuses it when that has moved. */
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

/** `force` takes fields from other managers; only for an apply. */
export type PatchOptions = WriteOptions & { readonly type: keyof typeof patchTypes; readonly force?: boolean };

/** PATCH: JSON patch, merge patch or server-side apply. */
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

/** Only the object that was seen is deleted: its uid is required. */
export type DeleteOptions = {
  readonly preconditions: { readonly uid: string; readonly resourceVersion?: string };
  readonly isDryRun?: boolean;
};

/** Never without the uid of the object that is meant. */
export function deleteObject(
  resource: Resource,
  place: ObjectPlace,
  { preconditions, isDryRun }: DeleteOptions,
): WriteRequest {
  const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions, propagationPolicy: "Background" };
  const options = isDryRun === true ? { isDryRun } : {};
  return write({ method: "DELETE", resource, path: pathOf(resource, place), body, options });
}

/** A path that is not an object: discovery, version, health. */
export function getPath(path: string): ReadRequest {
  return { method: "GET", path, scope: { access: "read", resource: path } };
}

/** `<plural>.<group>`, as kubectl names it. */
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
