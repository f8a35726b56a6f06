// The allowlist of requests that a page may send to the API server: paths, verbs and patches.

import { configKind, type Json, type JsonMap } from "@virt/api";
import { type ApiRequest, createObject, getObject, patchObject, type Resource } from "@virt/kube";
import { asText, isMap, readJson } from "@virt/objects";
import { isTargetResource } from "@virt/views";
import { isPageObject } from "./page-objects.ts";

export type PageRequest = {
  readonly method: string;
  readonly url: string;
  readonly contentType: string;
  readonly body: string;
};

export type AllowedRequest =
  | { readonly kind: "allowed"; readonly request: ApiRequest }
  | { readonly kind: "refused"; readonly why: string };

const reviews: Resource = {
  group: "authorization.k8s.io",
  version: "v1",
  plural: "selfsubjectaccessreviews",
  isNamespaced: false,
};

/** SelfSubjectReview, which returns the user's own name and stores nothing. */
const userReviews: Resource = {
  group: "authentication.k8s.io",
  version: "v1",
  plural: "selfsubjectreviews",
  isNamespaced: false,
};
const userReview = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
const fieldManager = "virt-console";
/** Allows overrides on any object, and switches on the HyperConverged. Does not match `state`, which only the operator sets. */
const overrideKey = /^platform\.kubevirt\.io\/(?:patch|ignore-fields|mode|adopt|reconcile-paused)$/;
const switchKey = /^platform\.kubevirt\.io\/(?!state$)[a-z-]+$/;
const configAnnotation = /^advisor\.kubevirt\.io\/[a-z-]+$/;

/** Accepts only unambiguous paths: no encoding, no `..`, no empty segments. */
const plainPath = /^(?:\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)+$/;
const climbs = /\.\./;

export function allowRequest({ method, url, contentType, body }: PageRequest): AllowedRequest {
  const [path = "", query = "", ...rest] = url.split("?");
  if (rest.length > 0 || !plainPath.test(path) || climbs.test(path))
    return refuse("the path contains characters that are not allowed");
  const place = readPlace(path);
  if (place === undefined) return refuse("the path does not name an object");
  const { resource, namespace, name } = place;
  const isDryRun = query === "dryRun=All";
  if (query !== "" && !isDryRun) return refuse("the query is not allowed");
  if (method === "POST" && isSame(resource, userReviews) && name === undefined && !isDryRun)
    return { kind: "allowed", request: createObject(userReviews, {}, userReview) };
  if (method === "POST" && isSame(resource, reviews) && name === undefined && !isDryRun) return allowReview(body);
  if (name === undefined) return refuse("reading a collection is not allowed");
  const object = { name, ...(namespace !== undefined && { namespace }) };
  const isConfig = resource.group === configKind.group && resource.plural === configKind.plural;
  const isKnown = isConfig
    ? resource.version === configKind.version && namespace === undefined
    : isTargetResource(resource);
  if (!isKnown) return refuse("access to this kind is not allowed");
  if (!isConfig && !isPageObject(resource, object)) return refuse("no plan or asset writes this object");
  if (method === "GET" && !isDryRun) return { kind: "allowed", request: getObject(resource, object) };
  if (method !== "PATCH") return refuse("this method is not allowed here");
  const patch = readPatch(contentType, body);
  if (patch === undefined) return refuse("the body is not a patch");
  if (
    isConfig
      ? !isConfigPatch(patch)
      : !isAnnotationPatch(patch, resource.plural === "hyperconvergeds" ? switchKey : overrideKey)
  )
    return refuse("the patch changes a field that the console may not change");
  return {
    kind: "allowed",
    request: patchObject(resource, object, keepsAnnotations(patch), { type: patch.type, fieldManager, isDryRun }),
  };
}

function refuse(why: string): AllowedRequest {
  return { kind: "refused", why };
}

type Place = { readonly resource: Resource; readonly namespace?: string; readonly name?: string };

function readPlace(path: string): Place | undefined {
  const [, root, ...parts] = path.split("/");
  const [group = "", version = "", ...rest] = root === "api" ? ["", ...parts] : parts;
  if ((root !== "api" && root !== "apis") || version === "") return undefined;
  const [first, second, third, fourth, ...more] = rest;
  if (more.length > 0 || first === undefined) return undefined;
  if (first === "namespaces" && third !== undefined)
    return {
      resource: { group, version, plural: third, isNamespaced: true },
      ...(second !== undefined && { namespace: second }),
      ...(fourth !== undefined && { name: fourth }),
    };
  if (third !== undefined) return undefined; // a subresource
  return {
    resource: { group, version, plural: first, isNamespaced: false },
    ...(second !== undefined && { name: second }),
  };
}

function isSame(left: Resource, right: Resource): boolean {
  return left.group === right.group && left.version === right.version && left.plural === right.plural;
}

/** Allows access reviews, which report the user's permissions and store nothing. */
function allowReview(body: string): AllowedRequest {
  const attributes = member(member(readBody(body), "spec"), "resourceAttributes");
  if (!isMap(attributes)) return refuse("the body is not an access review");
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: attributes },
  };
  return { kind: "allowed", request: createObject(reviews, {}, review) };
}

type Patch = { readonly type: "json" | "merge"; readonly body: Json };

function readPatch(contentType: string, text: string): Patch | undefined {
  const body = readBody(text);
  if (contentType === "application/json-patch+json" && Array.isArray(body)) return { type: "json", body };
  if (contentType === "application/merge-patch+json" && isMap(body)) return { type: "merge", body };
  return undefined;
}

const configFields = new Set(["/spec/action", "/spec/approvedPlan", "/spec/options"]);
const configTests = new Set(["/status/planHash", "/metadata/resourceVersion"]);

/** Allows changes only to the action, the approved plan, the options and the advisor's annotations. */
function isConfigPatch({ type, body }: Patch): boolean {
  if (type === "merge") {
    const { spec, ...others } = body as JsonMap;
    return (
      isMap(spec) &&
      Object.keys(others).length === 0 &&
      Object.keys(spec).every((key) => configFields.has(`/spec/${key}`))
    );
  }
  return (body as readonly Json[]).every((operation) => {
    const [op, path] = [asText(member(operation, "op")) ?? "", asText(member(operation, "path")) ?? ""];
    if (op === "test") return configTests.has(path);
    if (path === allAnnotations) return op === "add" && areOwnAnnotations(member(operation, "value"));
    const [, key] = /^\/metadata\/annotations\/([^/]+)$/.exec(path) ?? [];
    const isAnnotation = key !== undefined && configAnnotation.test(key.replaceAll("~1", "/"));
    return (op === "add" || op === "replace" || op === "remove") && (configFields.has(path) || isAnnotation);
  });
}

const allAnnotations = "/metadata/annotations";

function areOwnAnnotations(value: Json | undefined): boolean {
  return isMap(value) && Object.keys(value).every((key) => configAnnotation.test(key));
}

/** Tests that there are no annotations, so that adding the first one cannot overwrite those of another client. */
function keepsAnnotations({ type, body }: Patch): Json {
  if (type !== "json") return body;
  const areNone = { op: "test", path: allAnnotations, value: null };
  return (body as readonly Json[]).flatMap((operation) =>
    asText(member(operation, "path")) === allAnnotations ? [areNone, operation] : [operation],
  );
}

/** Allows only annotations whose keys match. */
function isAnnotationPatch({ type, body }: Patch, key: RegExp): boolean {
  if (type !== "merge") return false;
  const { metadata, ...others } = body as JsonMap;
  if (!isMap(metadata) || Object.keys(others).length > 0) return false;
  const { annotations, ...more } = metadata;
  return isMap(annotations) && Object.keys(more).length === 0 && Object.keys(annotations).every((one) => key.test(one));
}

function readBody(text: string): Json | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function member(value: Json | undefined, key: string): Json | undefined {
  return isMap(value) ? value[key] : undefined;
}
