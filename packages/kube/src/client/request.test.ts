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
    reason: "core kinds live under /api",
    request: getObject(pods, { namespace: "a", name: "b" }),
    line: "GET /api/v1/namespaces/a/pods/b",
  },
  {
    reason: "others live under /apis",
    request: getObject(pools, worker),
    line: "GET /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker",
  },
  {
    reason: "a namespace given for a cluster-scoped kind is not used",
    request: getObject(pools, { ...worker, namespace: "x" }),
    line: "GET /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker",
  },
  {
    reason: "names are escaped, and their case is kept",
    request: getObject(pods, { namespace: "a", name: "B/c?d" }),
    line: "GET /api/v1/namespaces/a/pods/B%2Fc%3Fd",
  },
  {
    reason: "no namespace means all of them",
    request: listObjects(pods, {}, { limit: 250, labelSelector: "a=b,c" }),
    line: "GET /api/v1/pods?limit=250&labelSelector=a%3Db%2Cc",
  },
  {
    reason: "empty parts of a query are left out",
    request: listObjects(pods, {}, { continue: "" }),
    line: "GET /api/v1/pods",
  },
  {
    reason: "a watch asks for bookmarks",
    request: watchObjects(pods, {}, { timeoutSeconds: 240, resourceVersion: "7" }),
    line: "GET /api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=240&resourceVersion=7",
  },
  {
    reason: "a subresource follows the name",
    request: replaceObject(pools, { ...worker, subresource: "status" }, {}),
    line: "PUT /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker/status",
  },
  {
    reason: "a dry run says so",
    request: createObject(pods, { namespace: "a" }, {}, { isDryRun: true, isStrict: true }),
    line: "POST /api/v1/namespaces/a/pods?dryRun=All&fieldValidation=Strict",
  },
  {
    reason: "force is asked for only where it is wanted",
    request: patchObject(pools, worker, {}, apply),
    line: "PATCH /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker?fieldManager=us",
  },
  {
    reason: "and then it is",
    request: patchObject(pools, worker, {}, { ...apply, force: true }),
    line: "PATCH /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker?fieldManager=us&force=true",
  },
  { reason: "other paths are taken as they are", request: getPath("/version"), line: "GET /version" },
];

test.each(cases)("$reason", ({ request, line }) => {
  expect(`${request.method} ${request.path}`).toBe(line);
});

test("a write says whether it is a dry run, which no gate keeps back", () => {
  expect(patchObject(pools, worker, {}, apply).isDryRun).toBe(false);
  expect(patchObject(pools, worker, {}, { ...apply, isDryRun: true }).isDryRun).toBe(true);
  expect(deleteObject(pools, worker, { preconditions: { uid: "u" } }).isDryRun).toBe(false);
});

test("a dry run is a write to the breaker: the same webhook fails both", () => {
  expect(patchObject(pools, worker, {}, { ...apply, isDryRun: true }).scope).toEqual({
    access: "write",
    resource: "machineconfigpools.machineconfiguration.openshift.io",
  });
  expect(getObject(pods, { namespace: "a", name: "b" }).scope).toEqual({ access: "read", resource: "pods" });
});

test("each patch has its own content type", () => {
  const types = (["json", "merge", "apply"] as const).map(
    (type) => patchObject(pools, worker, {}, { type }).contentType,
  );
  expect(types).toEqual([
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
  ]);
});

test("a removal always carries the uid of the object that is meant, and removes in the background", () => {
  const { body } = deleteObject(pools, worker, { preconditions: { uid: "u", resourceVersion: "7" } });
  expect(JSON.parse(body ?? "")).toMatchObject({
    preconditions: { uid: "u", resourceVersion: "7" },
    propagationPolicy: "Background",
  });
});

test("a namespaced object without its namespace is a mistake of ours, not a request", () => {
  expect(() => getObject(pods, { name: "b" })).toThrow("pods b is namespaced, but no namespace is given");
});
