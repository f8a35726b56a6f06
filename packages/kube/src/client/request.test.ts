import { expect, test } from "vitest";
import {
  createObject,
  deleteObject,
  getObject,
  getPath,
  listObjects,
  patchObject,
  type Resource,
  replaceObject,
  watchObjects,
} from "./request.ts";

const pods: Resource = { group: "", version: "v1", plural: "pods", isNamespaced: true };
const pools: Resource = {
  group: "machineconfiguration.openshift.io",
  version: "v1",
  plural: "machineconfigpools",
  isNamespaced: false,
};
const worker = { name: "worker" };
const apply = { type: "apply", fieldManager: "us" } as const;

const cases = [
  {
    reason: "core kinds are under /api",
    request: getObject(pods, { namespace: "a", name: "b" }),
    line: "GET /api/v1/namespaces/a/pods/b",
  },
  {
    reason: "other kinds are under /apis",
    request: getObject(pools, worker),
    line: "GET /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker",
  },
  {
    reason: "ignores the namespace of a cluster-scoped kind",
    request: getObject(pools, { ...worker, namespace: "x" }),
    line: "GET /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker",
  },
  {
    reason: "escapes names and keeps their case",
    request: getObject(pods, { namespace: "a", name: "B/c?d" }),
    line: "GET /api/v1/namespaces/a/pods/B%2Fc%3Fd",
  },
  {
    reason: "lists all namespaces without a namespace",
    request: listObjects(pods, {}, { limit: 250, labelSelector: "a=b,c" }),
    line: "GET /api/v1/pods?limit=250&labelSelector=a%3Db%2Cc",
  },
  {
    reason: "omits empty query parameters",
    request: listObjects(pods, {}, { continue: "" }),
    line: "GET /api/v1/pods",
  },
  {
    reason: "a watch requests bookmarks",
    request: watchObjects(pods, {}, { timeoutSeconds: 240, resourceVersion: "7" }),
    line: "GET /api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=240&resourceVersion=7",
  },
  {
    reason: "a subresource follows the name",
    request: replaceObject(pools, { ...worker, subresource: "status" }, {}),
    line: "PUT /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker/status",
  },
  {
    reason: "a dry run is a query parameter",
    request: createObject(pods, { namespace: "a" }, {}, { isDryRun: true, isStrict: true }),
    line: "POST /api/v1/namespaces/a/pods?dryRun=All&fieldValidation=Strict",
  },
  {
    reason: "an apply does not force by default",
    request: patchObject(pools, worker, {}, apply),
    line: "PATCH /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker?fieldManager=us",
  },
  {
    reason: "an apply forces on request",
    request: patchObject(pools, worker, {}, { ...apply, force: true }),
    line: "PATCH /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker?fieldManager=us&force=true",
  },
  { reason: "other paths are used unchanged", request: getPath("/version"), line: "GET /version" },
];

test.each(cases)("$reason", ({ request, line }) => {
  expect(`${request.method} ${request.path}`).toBe(line);
});

test("only an apply with isDryRun is a dry run", () => {
  expect(patchObject(pools, worker, {}, apply).isDryRun).toBe(false);
  expect(patchObject(pools, worker, {}, { ...apply, isDryRun: true }).isDryRun).toBe(true);
  expect(deleteObject(pools, worker, { preconditions: { uid: "u" } }).isDryRun).toBe(false);
});

test("a dry run counts as a write for the breaker", () => {
  expect(patchObject(pools, worker, {}, { ...apply, isDryRun: true }).scope).toEqual({
    access: "write",
    resource: "machineconfigpools.machineconfiguration.openshift.io",
  });
  expect(getObject(pods, { namespace: "a", name: "b" }).scope).toEqual({ access: "read", resource: "pods" });
});

test("each patch type has its content type", () => {
  const types = (["json", "merge", "apply"] as const).map(
    (type) => patchObject(pools, worker, {}, { type }).contentType,
  );
  expect(types).toEqual([
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
  ]);
});

test("a deletion has its uid and propagates in the background", () => {
  const { body } = deleteObject(pools, worker, { preconditions: { uid: "u", resourceVersion: "7" } });
  expect(JSON.parse(body ?? "")).toMatchObject({
    preconditions: { uid: "u", resourceVersion: "7" },
    propagationPolicy: "Background",
  });
});

test("rejects a namespaced object without a namespace", () => {
  expect(() => getObject(pods, { name: "b" })).toThrow("pods b is namespaced, but no namespace is given");
});
