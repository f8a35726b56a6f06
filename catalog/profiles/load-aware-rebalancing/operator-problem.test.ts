import type { JsonMap, KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { readMock } from "../../../test/integration/mock-crds/definitions.ts";
import { capabilityOf } from "./capability.ts";
import type { LoadAwareFacts } from "./facts.ts";
import { operatorProblem, refuseWithoutMetrics } from "./operator-problem.ts";
import { deschedulerWith, factsWith } from "./testing/facts.ts";

const withoutPsi =
  "profile KubeVirtRelieveAndMigrate can only be used when PSI metrics are enabled for the worker nodes";
const type = "TargetConfigControllerDegraded";

const reporting = (condition: JsonMap, status: JsonMap = {}): KubeObject => ({
  ...deschedulerWith({}),
  metadata: { ...deschedulerWith({}).metadata, generation: 2 },
  status: { conditions: [{ type, ...condition }], ...status },
});

/** Returns a KubeDescheduler that the advisor applied at second 1. */
const reportedAt = (time: string): KubeObject => {
  const live = reporting({ status: "False" });
  const fieldsType = "FieldsV1";
  const applied = { manager: "virt-advisor-operator", operation: "Apply", time: "2026-01-01T00:00:01Z" };
  const reported = { manager: "operator", operation: "Update", subresource: "status", time };
  const managedFields = [applied, reported].map((entry) => ({ ...entry, fieldsType, fieldsV1: {} }));
  return { ...live, metadata: { ...live.metadata, managedFields } };
};

test("a refusal without PSI is expected only while nodes wait for PSI", () => {
  const live = reporting({ status: "True", reason: withoutPsi });
  expect(operatorProblem(live, true)).toEqual({
    message: `KubeDescheduler 'cluster' is degraded (${withoutPsi}); expected until PSI metrics are enabled on the nodes`,
    next: "kubectl describe kubedescheduler cluster -n openshift-kube-descheduler-operator",
    kind: "expected",
  });
  expect(operatorProblem(live, false)).toMatchObject({
    message: `KubeDescheduler 'cluster' is degraded (${withoutPsi})`,
    kind: "fault",
  });
});

test("any other refusal is a fault, even while nodes wait for PSI", () => {
  const live = reporting({ status: "True", reason: "unable to get openshift-monitoring/prometheus-k8s route" });
  expect(operatorProblem(live, true)?.kind).toBe("fault");
});

test.each([
  { reason: "an operator without a report has no problem", live: deschedulerWith({}) },
  { reason: "an operator that is not degraded has no problem", live: reporting({ status: "False" }) },
  { reason: "a report newer than the advisor's write counts", live: reportedAt("2026-01-01T00:00:02Z") },
  { reason: "a report in the second of the advisor's write counts", live: reportedAt("2026-01-01T00:00:01Z") },
  {
    reason: "does not wait for an operator that never reported",
    live: { ...reportedAt("2026-01-01T00:00:00Z"), status: {} },
  },
])("$reason", ({ live }) => {
  expect(operatorProblem(live, false)).toBeUndefined();
});

const unprocessed = {
  message: "The operator of KubeDescheduler 'cluster' has not processed the change yet",
  kind: "unprocessed",
};

test("an older observedGeneration shows an unprocessed change", () => {
  const live = reporting({ status: "True", reason: "old" }, { observedGeneration: 1 });
  expect(operatorProblem(live, false)).toMatchObject(unprocessed);
  expect(operatorProblem(live, false)).not.toHaveProperty("longestMs");
});

test("without observedGeneration, waits a limited time for a newer status", () => {
  expect(operatorProblem(reportedAt("2026-01-01T00:00:00Z"), false)).toMatchObject({
    ...unprocessed,
    longestMs: 300_000,
  });
});

test("without observedGeneration, an old refusal counts, because it is written only once", () => {
  const live = { ...reportedAt("2026-01-01T00:00:00Z"), status: { conditions: [{ type, status: "True" }] } };
  expect(operatorProblem(live, false)?.kind).toBe("fault");
});

const capability = (generation: string) =>
  capabilityOf(readMock(`kubedeschedulers-${generation}.yaml`).schema as JsonMap);
const route = (host: string): LoadAwareFacts["prometheusRoute"] => ({
  kind: "found",
  object: {
    apiVersion: "route.openshift.io/v1",
    kind: "Route",
    metadata: { name: "prometheus-k8s" },
    status: { ingress: [{ host }] },
  },
});
const namespace = (labels: Readonly<Record<string, string>>): LoadAwareFacts["deschedulerNamespace"] => ({
  kind: "found",
  object: { apiVersion: "v1", kind: "Namespace", metadata: { name: "openshift-kube-descheduler-operator", labels } },
});
const monitored = namespace({ "openshift.io/cluster-monitoring": "true" });

const refusals: readonly {
  readonly reason: string;
  readonly generation: string;
  readonly facts: Partial<LoadAwareFacts>;
  readonly message: string | undefined;
}[] = [
  {
    reason: "a missing Route of Prometheus is a prerequisite",
    generation: "v532",
    facts: { prometheusRoute: { kind: "absent" }, deschedulerNamespace: monitored },
    message:
      "The descheduler operator reads metrics through Route openshift-monitoring/prometheus-k8s, which does not exist.",
  },
  {
    reason: "a Route without a host counts as missing",
    generation: "v514",
    facts: { prometheusRoute: route(""), deschedulerNamespace: monitored },
    message:
      "The descheduler operator reads metrics through Route openshift-monitoring/prometheus-k8s, which has no host.",
  },
  {
    reason: "the monitoring label of the namespace is a prerequisite",
    generation: "v521",
    facts: { prometheusRoute: route("prometheus.example.com"), deschedulerNamespace: namespace({}) },
    message:
      "Namespace 'openshift-kube-descheduler-operator' does not have label openshift.io/cluster-monitoring=true, which the descheduler operator requires for the profile.",
  },
  {
    reason: "the operator of 5.14 does not need the label",
    generation: "v514",
    facts: { prometheusRoute: route("prometheus.example.com"), deschedulerNamespace: namespace({}) },
    message: undefined,
  },
  {
    reason: "with both, nothing is missing",
    generation: "v532",
    facts: { prometheusRoute: route("prometheus.example.com"), deschedulerNamespace: monitored },
    message: undefined,
  },
  {
    reason: "LongLifecycle needs no metrics",
    generation: "v510",
    facts: { prometheusRoute: { kind: "absent" } },
    message: undefined,
  },
  { reason: "unread facts refuse nothing", generation: "v532", facts: {}, message: undefined },
];

test.each(refusals)("$reason", ({ generation, facts, message }) => {
  const refusal = refuseWithoutMetrics(capability(generation), factsWith(facts));
  expect(refusal?.kind === "unfit" ? refusal.message : refusal).toBe(message);
});
