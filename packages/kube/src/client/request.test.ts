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

const cases: readonly (readonly [
  reason: string,
  request: { readonly method: string; readonly path: string },
  line: string,
])[] = [
  ["core kinds are under /api", getObject(pods, { namespace: "a", name: "b" }), "GET /api/v1/namespaces/a/pods/b"],
  [
    "other kinds are under /apis",
    getObject(pools, worker),
    "GET /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker",
  ],
  [
    "ignores the namespace of a cluster-scoped kind",
    getObject(pools, { ...worker, namespace: "x" }),
    "GET /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker",
  ],
  [
    "escapes names and keeps their case",
    getObject(pods, { namespace: "a", name: "B/c?d" }),
    "GET /api/v1/namespaces/a/pods/B%2Fc%3Fd",
  ],
  [
    "lists all namespaces without a namespace",
    listObjects(pods, {}, { limit: 250, labelSelector: "a=b,c" }),
    "GET /api/v1/pods?limit=250&labelSelector=a%3Db%2Cc",
  ],
  ["omits empty query parameters", listObjects(pods, {}, { continue: "" }), "GET /api/v1/pods"],
  [
    "a watch requests bookmarks",
    watchObjects(pods, {}, { timeoutSeconds: 240, resourceVersion: "7" }),
    "GET /api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=240&resourceVersion=7",
  ],
  [
    "a subresource follows the name",
    replaceObject(pools, { ...worker, subresource: "status" }, {}),
    "PUT /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker/status",
  ],
  [
    "a dry run is a query parameter",
    createObject(pods, { namespace: "a" }, {}, { isDryRun: true, isStrict: true }),
    "POST /api/v1/namespaces/a/pods?dryRun=All&fieldValidation=Strict",
  ],
  [
    "an apply does not force by default",
    patchObject(pools, worker, {}, apply),
    "PATCH /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker?fieldManager=us",
  ],
  [
    "an apply forces on request",
    patchObject(pools, worker, {}, { ...apply, force: true }),
    "PATCH /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker?fieldManager=us&force=true",
  ],
  ["other paths are used unchanged", getPath("/version"), "GET /version"],
];

test.each(cases)("%s", (_reason, request, line) => {
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
