// Builds requests to the API server. Pure: every URL can be tested without a server.

import type { Json } from "@virt/engine";

/** A kind as the server serves it. Nothing is pluralised by rule: this comes from discovery or from a declaration. */
export type Resource = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
};

export type Place = { readonly namespace?: string; readonly name?: string; readonly subresource?: string };

export type ApiRequest = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query, below the server's own path. */
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
  /** What the breaker, the limits and the metrics go by. */
  readonly scope: Scope;
  /** Changes something if it succeeds: a dry run does not. The fence is asked for these. */
  readonly isEffective: boolean;
};

export type Scope = { readonly access: "read" | "write"; readonly resource: string };

export type Selection = {
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

export type Accepting = { readonly accept?: string };

export function getObject(resource: Resource, place: Place, { accept }: Accepting = {}): ApiRequest {
  return { ...read(resource, pathOf(resource, place)), ...(accept && { accept }) };
}

export type Page = Selection & Accepting & { readonly limit?: number; readonly continue?: string };

export function listObjects(resource: Resource, place: Place, { accept, ...page }: Page = {}): ApiRequest {
  return { ...read(resource, withQuery(pathOf(resource, place), page)), ...(accept && { accept }) };
}

export type Following = Selection &
  Accepting & { readonly timeoutSeconds: number; readonly sendInitialEvents?: boolean };

export function watchObjects(resource: Resource, place: Place, { accept, ...following }: Following): ApiRequest {
  const query = { watch: true, allowWatchBookmarks: true, ...following };
  return { ...read(resource, withQuery(pathOf(resource, place), query)), ...(accept && { accept }) };
}

/** What every write may ask for. */
export type Manner = { readonly isDryRun?: boolean; readonly fieldManager?: string; readonly isStrict?: boolean };

export function createObject(resource: Resource, place: Place, body: Json, manner: Manner = {}): ApiRequest {
  return write({ method: "POST", resource, path: pathOf(resource, place), body, manner });
}

/** Carries the resourceVersion that was read inside the body: the server refuses it when that has moved. */
export function replaceObject(resource: Resource, place: Place, body: Json, manner: Manner = {}): ApiRequest {
  return write({ method: "PUT", resource, path: pathOf(resource, place), body, manner });
}

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

export type Patch = Manner & { readonly type: keyof typeof patchTypes; readonly force?: boolean };

export function patchObject(
  resource: Resource,
  place: Place,
  body: Json,
  { type, force, ...manner }: Patch,
): ApiRequest {
  const query = force === true ? { force } : {};
  const path = pathOf(resource, place);
  return { ...write({ method: "PATCH", resource, path, body, manner, query }), contentType: patchTypes[type] };
}

export type Removal = {
  readonly preconditions: { readonly uid: string; readonly resourceVersion?: string };
  readonly isDryRun?: boolean;
};

/** Never without the uid of the object that is meant. */
export function deleteObject(resource: Resource, place: Place, { preconditions, isDryRun }: Removal): ApiRequest {
  const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions, propagationPolicy: "Background" };
  const manner = isDryRun === true ? { isDryRun } : {};
  return write({ method: "DELETE", resource, path: pathOf(resource, place), body, manner });
}

/** A path that is not an object: discovery, version, health. */
export function getPath(path: string): ApiRequest {
  return { method: "GET", path, scope: { access: "read", resource: path }, isEffective: false };
}

export function resourceName({ group, plural }: Resource): string {
  return group === "" ? plural : `${plural}.${group}`;
}

function pathOf(resource: Resource, { namespace, name, subresource }: Place): string {
  const { group, version, plural, isNamespaced } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  if (isNamespaced && namespace === undefined && name !== undefined) {
    throw new Error(`${resourceName(resource)} ${name} lives in a namespace, but none is given`);
  }
  const scope = isNamespaced && namespace !== undefined ? ["namespaces", namespace] : [];
  const parts = [...scope, plural, name, subresource].filter((part) => part !== undefined);
  return [root, ...parts.map(encodeURIComponent)].join("/");
}

function read(resource: Resource, path: string): ApiRequest {
  return { method: "GET", path, scope: { access: "read", resource: resourceName(resource) }, isEffective: false };
}

type Writing = {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly resource: Resource;
  readonly path: string;
  readonly body: Json;
  readonly manner: Manner;
  readonly query?: Query;
};

function write({ method, resource, path, body, manner, query = {} }: Writing): ApiRequest {
  const { isDryRun = false, fieldManager, isStrict = false } = manner;
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
    isEffective: !isDryRun,
  };
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  if (given.length === 0) return path;
  return `${path}?${given.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join("&")}`;
}
