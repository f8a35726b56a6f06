// What the descheduler operator needs, and which of its reports are problems.

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

test("the refusal for lack of PSI is expected while nodes wait for PSI, and a problem afterwards", () => {
  const live = reporting({ status: "True", reason: withoutPsi });
  expect(operatorProblem(live, true)).toEqual({
    message: `KubeDescheduler 'cluster' is degraded (${withoutPsi}); expected until nodes have PSI metrics`,
    next: "kubectl describe kubedescheduler cluster -n openshift-kube-descheduler-operator",
    isExpected: true,
  });
  expect(operatorProblem(live, false)).toMatchObject({
    message: `KubeDescheduler 'cluster' is degraded (${withoutPsi})`,
    isExpected: false,
  });
});

test("any other refusal is a problem, also while nodes wait for PSI", () => {
  const live = reporting({ status: "True", reason: "unable to get openshift-monitoring/prometheus-k8s route" });
  expect(operatorProblem(live, true)?.isExpected).toBe(false);
});

test.each([
  { reason: "an operator that reports nothing has no problem", live: deschedulerWith({}) },
  { reason: "an operator that is not degraded has no problem", live: reporting({ status: "False" }) },
  {
    reason: "a report about an earlier generation is not a problem of this one",
    live: reporting({ status: "True", reason: "old" }, { observedGeneration: 1 }),
  },
])("$reason", ({ live }) => {
  expect(operatorProblem(live, false)).toBeUndefined();
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
    reason: "a Route without a host is no Route",
    generation: "v514",
    facts: { prometheusRoute: route(""), deschedulerNamespace: monitored },
    message:
      "The descheduler operator reads metrics through Route openshift-monitoring/prometheus-k8s, which has no host.",
  },
  {
    reason: "the label that has the namespace monitored is a prerequisite",
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
    reason: "with both nothing is missing",
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
  { reason: "facts that cannot be read refuse nothing", generation: "v532", facts: {}, message: undefined },
];

test.each(refusals)("$reason", ({ generation, facts, message }) => {
  const refusal = refuseWithoutMetrics(capability(generation), factsWith(facts));
  expect(refusal?.kind === "unfit" ? refusal.message : refusal).toBe(message);
});
