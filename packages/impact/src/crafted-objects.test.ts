// Tests that huge objects from users are reported with their namespace, and that everything else is still assessed.

import type { JsonMap } from "@virt/api";
import { expect, test } from "vitest";
import { assessImpact } from "./index.ts";
import { clusterFacts, vmObject, workers } from "./testing/cluster-builder.ts";

const nodes = workers(3);

test("a VM with thousands of affinity terms is unknown and its namespace reported", () => {
  const term = (at: number) => ({
    matchExpressions: [{ key: `label-${at}`, operator: "In", values: [`value-${at}`] }],
  });
  const nodeSelectorTerms = Array.from({ length: 11_000 }, (_, at) => term(at));
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  const large = vmObject("large", "worker-0", {
    spec: { affinity: { nodeAffinity } },
    metadata: { namespace: "hostile" },
  });
  const impact = assessImpact(clusterFacts({ nodes, vms: [large, vmObject("a", "worker-0")] }));
  expect(impact.vms).toMatchObject({ migrate: 1, unknown: 1 });
  expect(impact.notAssessed).toEqual([
    {
      what: "VM placement",
      reason: "TooMany",
      message: "1 VM in namespace hostile with too many affinity terms, selectors or tolerations",
    },
  ]);
  const tolerated = vmObject("b", "worker-0", {
    spec: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: nodeSelectorTerms.slice(0, 50) },
        },
      },
    },
  });
  expect(assessImpact(clusterFacts({ nodes, vms: [tolerated] })).vms?.unknown).toBe(0);
});

test("reports the namespace of pods with huge labels", () => {
  const labels = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`label-${at}`, "x".repeat(63)]));
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "hostile", name: "a", labels } };
  const impact = assessImpact(clusterFacts({ nodes, pods: { "worker-0": [pod] } }));
  expect(impact.notAssessed).toEqual([
    { what: "pods", reason: "TooMany", message: "1 pod in namespace hostile with too many labels" },
  ]);
});

test("reports a budget with a huge selector and assesses other namespaces", () => {
  const podIn = (namespace: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace,
      name: `${namespace}-0`,
      labels: { app: "db" },
      ownerReferences: [{ kind: "StatefulSet", name: "db", controller: true }],
    },
  });
  const budgetIn = (namespace: string, selector: JsonMap) => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { namespace, name: "db" },
    spec: { selector },
    status: { disruptionsAllowed: 0 },
  });
  const matchExpressions = Array.from({ length: 40_000 }, (_, at) => ({ key: `k${at}`, operator: "DoesNotExist" }));
  const budgets = [budgetIn("shop", { matchLabels: { app: "db" } }), budgetIn("hostile", { matchExpressions })];
  const pods = { "worker-0": [podIn("shop"), podIn("hostile")] };
  const impact = assessImpact(clusterFacts({ nodes, budgets, pods }));
  expect(impact.blockers).toMatchObject([{ namespace: "shop", reason: "PodDisruptionBudget" }]);
  expect(impact.notAssessed).toEqual([
    {
      what: "pods",
      reason: "TooMany",
      message: "1 PodDisruptionBudget in namespace hostile with too large a selector: 1 pod may block a drain",
    },
  ]);
  const elsewhere = assessImpact(clusterFacts({ nodes, budgets, pods: { "worker-0": [podIn("shop")] } }));
  expect(elsewhere.notAssessed).toEqual([]);
});
