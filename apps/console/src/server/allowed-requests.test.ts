import { expect, test } from "vitest";
import { allowRequest, type PageRequest } from "./allowed-requests.ts";

const config = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/load-aware-rebalancing";
const machineConfig = "/apis/machineconfiguration.openshift.io/v1/machineconfigs/99-worker-psi-karg";
const review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const json = "application/json-patch+json";
const merge = "application/merge-patch+json";

function decide(request: Partial<PageRequest>): string {
  const decided = allowRequest({ method: "GET", url: config, contentType: "", body: "", ...request });
  return decided.kind === "allowed" ? `${decided.request.method} ${decided.request.path}` : "refused";
}

const approval = JSON.stringify([
  { op: "test", path: "/status/planHash", value: "a" },
  { op: "add", path: "/spec/approvedPlan", value: "a" },
  { op: "add", path: "/spec/action", value: "Apply" },
]);

test("allows pages to read and decide plans, review access and annotate targets", () => {
  expect(decide({})).toBe(`GET ${config}`);
  const manager = "?fieldManager=virt-console";
  expect(decide({ method: "PATCH", contentType: json, body: approval })).toBe(`PATCH ${config}${manager}`);
  expect(
    decide({ method: "PATCH", contentType: merge, body: '{"spec":{"action":"DryRun","approvedPlan":null}}' }),
  ).toBe(`PATCH ${config}${manager}`);
  expect(decide({ method: "POST", url: review, body: '{"spec":{"resourceAttributes":{"verb":"patch"}}}' })).toBe(
    `POST ${review}`,
  );
  const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  expect(decide({ method: "POST", url: self, body: "{}" })).toBe(`POST ${self}`);
  expect(decide({ url: self })).toBe("refused");
  const adopt = '{"metadata":{"annotations":{"platform.kubevirt.io/adopt":"true"}}}';
  expect(decide({ method: "PATCH", url: machineConfig, contentType: merge, body: adopt })).toBe(
    `PATCH ${machineConfig}${manager}`,
  );
  expect(decide({ method: "PATCH", url: `${machineConfig}?dryRun=All`, contentType: merge, body: adopt })).toBe(
    `PATCH ${machineConfig}?dryRun=All&fieldManager=virt-console`,
  );
});

test.each([
  [
    "a rendered MachineConfig",
    "/apis/machineconfiguration.openshift.io/v1/machineconfigs/rendered-worker-0123456789abcdef",
  ],
  ["a MachineConfig of another client", "/apis/machineconfiguration.openshift.io/v1/machineconfigs/00-worker"],
  ["a Service of another client", "/api/v1/namespaces/openshift-cnv/services/kubevirt-operator-webhook"],
  ["a DaemonSet", "/apis/apps/v1/namespaces/openshift-cnv/daemonsets/virt-handler"],
  ["a KubeDescheduler of another name", "/apis/operator.openshift.io/v1/namespaces/a/kubedeschedulers/other"],
  ["a KubeDescheduler of another namespace", "/apis/operator.openshift.io/v1/namespaces/a/kubedeschedulers/cluster"],
  ["a MetalLB of another namespace", "/apis/metallb.io/v1beta1/namespaces/a/metallbs/metallb"],
  ["a Service without a namespace", "/api/v1/services/virt-platform-operator-metrics"],
])("forbids pages to read or annotate %s", (_what, url) => {
  const adopt = '{"metadata":{"annotations":{"platform.kubevirt.io/adopt":"true"}}}';
  expect(decide({ url })).toBe("refused");
  expect(decide({ method: "PATCH", url, contentType: merge, body: adopt })).toBe("refused");
});

test("allows pages to read every object that a plan or asset writes", () => {
  const root = "/apis/machineconfiguration.openshift.io/v1";
  for (const url of [
    `${root}/machineconfigs/50-virt-swap-enable`,
    `${root}/machineconfigs/90-worker-kubelet-swap`,
    `${root}/kubeletconfigs/virt-perf-settings`,
    "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged",
    "/api/v1/namespaces/virt-platform-operator-system/services/virt-platform-operator-metrics",
    "/apis/metallb.io/v1beta1/namespaces/metallb-system/metallbs/metallb",
    "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster",
  ])
    expect(decide({ url })).toBe(`GET ${url}`);
});

test("allows pages to set switches only on the HyperConverged", () => {
  const hco = "/apis/hco.kubevirt.io/v1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
  const set = (url: string, key: string) =>
    decide({ method: "PATCH", url, contentType: merge, body: `{"metadata":{"annotations":{"${key}":"true"}}}` });
  expect(set(hco, "platform.kubevirt.io/enable-swap")).toContain("PATCH");
  expect(set(hco, "platform.kubevirt.io/state")).toBe("refused");
  expect(set(hco, "kubevirt.kubevirt.io/jsonpatch")).toBe("refused");
  expect(set(machineConfig, "platform.kubevirt.io/enable-swap")).toBe("refused");
});

test("allows pages to add a config's first annotations, but not to replace any", () => {
  const add = (value: object) => JSON.stringify([{ op: "add", path: "/metadata/annotations", value }]);
  const decided = allowRequest({
    method: "PATCH",
    url: config,
    contentType: json,
    body: add({ "advisor.kubevirt.io/rejected-plan": "a" }),
  });
  expect(decided).toMatchObject({ kind: "allowed" });
  const sent = decided.kind === "allowed" && "body" in decided.request ? decided.request.body : "";
  expect(sent).toContain('{"op":"test","path":"/metadata/annotations","value":null}');
  expect(decide({ method: "PATCH", contentType: json, body: add({ "other.example/x": "a" }) })).toBe("refused");
  const replaced = '[{"op":"replace","path":"/metadata/annotations","value":{}}]';
  expect(decide({ method: "PATCH", contentType: json, body: replaced })).toBe("refused");
  const removed = '[{"op":"remove","path":"/metadata/annotations"}]';
  expect(decide({ method: "PATCH", contentType: json, body: removed })).toBe("refused");
});

test.each([
  "/api/v1/secrets",
  "/api/v1/namespaces/default/secrets/token",
  "/api/v1/namespaces/kube-system/configmaps/anything",
  "/api/v1/namespaces/default/pods/a/exec",
  "/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin",
  "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs",
  "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/a/status",
  "/apis/advisor.kubevirt.io/v9/virtplatformconfigs/a",
  "/apis/advisor.kubevirt.io/v1alpha1/namespaces/a/virtplatformconfigs/b",
  "/version",
  "/metrics",
  "/openapi/v2",
  "/",
  "",
])("rejects a path that no page needs: %s", (url) => {
  expect(decide({ url })).toBe("refused");
});

test.each([
  `${config}/../../../../api/v1/secrets`,
  "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/..",
  "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/a..b",
  "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/%2e%2e/%2e%2e/secrets",
  "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/a%2fstatus",
  "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/a%00",
  "/apis/advisor.kubevirt.io//v1alpha1/virtplatformconfigs/a",
  "//api/v1/secrets",
  "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/a\\..\\b",
  "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/a;x=1",
  `${config}?watch=true`,
  `${config}?dryRun=All&force=true`,
  `${config}?dryRun=All?x`,
  `${config}#a`,
  `${config}/`,
  `http://other.example${config}`,
])("rejects an ambiguous path or an unused query: %s", (url) => {
  expect(decide({ url })).toBe("refused");
});

test.each(["PUT", "DELETE", "POST", "OPTIONS", "TRACE", "CONNECT", "get", "HEAD"])(
  "rejects the verb %s for a config",
  (method) => {
    expect(decide({ method, contentType: merge, body: '{"spec":{"action":"Ignore"}}' })).toBe("refused");
  },
);

test.each([
  [json, '[{"op":"replace","path":"/status/phase","value":"Completed"}]'],
  [json, '[{"op":"add","path":"/spec/bypassOptimisticLock","value":true}]'],
  [json, '[{"op":"add","path":"/metadata/finalizers","value":["a"]}]'],
  [json, '[{"op":"copy","from":"/spec","path":"/spec/action"}]'],
  [json, '[{"op":"add","path":"/metadata/annotations/other.example~1x","value":"a"}]'],
  [json, '{"spec":{"action":"Apply"}}'],
  [merge, '{"spec":{"failurePolicy":"Continue"}}'],
  [merge, '{"metadata":{"labels":{"a":"b"}}}'],
  [merge, '{"spec":{"action":"Apply"},"status":{}}'],
  [merge, "[]"],
  [merge, "not json"],
  ["application/apply-patch+yaml", "spec: {action: Apply}"],
  ["application/strategic-merge-patch+json", '{"spec":{"action":"Apply"}}'],
])("rejects a config patch that is not a user's decision: %s %s", (contentType, body) => {
  expect(decide({ method: "PATCH", contentType, body })).toBe("refused");
});

test.each([
  '{"spec":{"config":{}}}',
  '{"metadata":{"annotations":{"other.example/a":"b"}}}',
  '{"metadata":{"annotations":{"platform.kubevirt.io/state":"{}"}}}',
  '{"metadata":{"annotations":null}}',
  '{"metadata":{"labels":{"platform.kubevirt.io/managed-by":"me"}}}',
  '{"metadata":{"annotations":{"platform.kubevirt.io/adopt":"true"},"finalizers":[]}}',
])("rejects a target patch that is not an override: %s", (body) => {
  expect(decide({ method: "PATCH", url: machineConfig, contentType: merge, body })).toBe("refused");
});
