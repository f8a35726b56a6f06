import { expect, test } from "vitest";
import { describeRequest, isLeaseOrEvent, isWrite, parseRequestInfo } from "./request-info.ts";

const apply = { "content-type": "application/apply-patch+yaml" };
const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";

const requests = [
  {
    reason: "a dry run of an apply has its field manager and is not a write",
    request: parseRequestInfo(
      "PATCH",
      "/api/v1/namespaces/default/configmaps/one?dryRun=All&fieldManager=me&force=true",
      apply,
    ),
    is: {
      verb: "apply",
      resource: "configmaps",
      namespace: "default",
      name: "one",
      isDryRun: true,
      fieldManager: "me",
    },
    words: "apply configmaps default/one (dry run)",
    write: false,
  },
  {
    reason: "a status write is a write to a subresource",
    request: parseRequestInfo("PUT", `${configs}/load-aware-rebalancing/status`, {}),
    is: { verb: "update", group: "advisor.kubevirt.io", version: "v1alpha1", namespace: "", subresource: "status" },
    words: "update virtplatformconfigs.advisor.kubevirt.io/status load-aware-rebalancing",
    write: true,
  },
  {
    reason: "a merge patch is not an apply",
    request: parseRequestInfo("PATCH", `${configs}/one`, { "content-type": "application/merge-patch+json" }),
    is: { verb: "patch", name: "one", subresource: "" },
    words: "patch virtplatformconfigs.advisor.kubevirt.io one",
    write: true,
  },
  {
    reason: "a streaming list is a watch",
    request: parseRequestInfo("GET", `${configs}?watch=true&sendInitialEvents=true`, {
      "user-agent": "virt-operator/1",
    }),
    is: { verb: "watch", name: "", query: { watch: "true", sendInitialEvents: "true" }, userAgent: "virt-operator/1" },
    words: "watch virtplatformconfigs.advisor.kubevirt.io",
    write: false,
  },
  {
    reason: "watch=false is a list",
    request: parseRequestInfo("GET", `${configs}?watch=false`, {}),
    is: { verb: "list" },
    words: "list virtplatformconfigs.advisor.kubevirt.io",
    write: false,
  },
  {
    reason: "a Namespace is not inside itself",
    request: parseRequestInfo("PUT", "/api/v1/namespaces/team/finalize", {}),
    is: { resource: "namespaces", namespace: "", name: "team", subresource: "finalize" },
    words: "update namespaces/finalize team",
    write: true,
  },
  {
    reason: "an object in a Namespace has its namespace",
    request: parseRequestInfo("GET", "/api/v1/namespaces/team/pods", {}),
    is: { verb: "list", resource: "pods", namespace: "team", name: "" },
    words: "list pods team",
    write: false,
  },
  {
    reason: "deleting without a name deletes a collection",
    request: parseRequestInfo("DELETE", "/api/v1/namespaces/team/pods", {}),
    is: { verb: "deletecollection" },
    words: "deletecollection pods team",
    write: true,
  },
  {
    reason: "discovery is not a resource",
    request: parseRequestInfo("GET", "/apis/advisor.kubevirt.io/v1alpha1", {}),
    is: { verb: "discover", resource: "" },
    words: "discover /apis/advisor.kubevirt.io/v1alpha1",
    write: false,
  },
  {
    reason: "an access review is not a write",
    request: parseRequestInfo("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {}),
    is: { verb: "create" },
    words: "create subjectaccessreviews.authorization.k8s.io",
    write: false,
  },
];

test.each(requests)("$reason", ({ request, is, words, write }) => {
  expect(request).toMatchObject(is);
  expect(describeRequest(request)).toBe(words);
  expect(isWrite(request)).toBe(write);
});

test.each([
  { path: "/apis/coordination.k8s.io/v1/namespaces/a/leases/b", upkeep: true },
  { path: "/api/v1/namespaces/a/events", upkeep: true },
  { path: "/apis/events.k8s.io/v1/namespaces/a/events", upkeep: true },
  { path: "/apis/example.org/v1/events", upkeep: false },
  { path: "/apis/example.org/v1/leases", upkeep: false },
])("only genuine Leases and Events are upkeep: $path", ({ path, upkeep }) => {
  expect(isLeaseOrEvent(parseRequestInfo("POST", path, {}))).toBe(upkeep);
});
