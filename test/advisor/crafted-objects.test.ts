// A namespace user creates objects of the maximum size: the operator names them and assesses all others.

import type { KubeObject } from "@virt/api";
import { workers } from "@virt/impact/testing/cluster-builder";
import { expect, test } from "vitest";
import { loadAware, requestsOf } from "../support/advisor.ts";
import { startAdvisor } from "../support/advisor-suite.ts";
import { budgetOf, PlantedCluster, podOf, untilWritten } from "../support/planted-cluster.ts";

const moreCrds = ["machineconfigurations", "infrastructures", "virtualmachines", "kubevirts"];
const list = <T>(length: number, make: (at: number) => T) => Array.from({ length }, (_, at) => make(at));

/** Fills three oversized pages. 150 pods have the same result, but take minutes to create. */
const craftedPods = 30;
// 11,000 terms, 15,000 labels and 20,000 expressions take at least 1 MB each. etcd accepts 1.5 MB per object.
const nodeSelectorTerms = list(11_000, (at) => ({
  matchExpressions: [{ key: `label-${at}`, operator: "In", values: [`value-${at}`] }],
}));
const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
const craftedVm = { affinity: { nodeAffinity: required }, domain: { devices: {} } };
const craftedLabels = Object.fromEntries(list(15_000, (at) => [`label-${at}`, "x".repeat(63)]));
const matchExpressions = list(20_000, (at) => ({ key: `label-${at}`, operator: "DoesNotExist" }));

function craftedBudget(name: string): KubeObject {
  const budget = budgetOf(name, "any");
  return { ...budget, spec: { minAvailable: 1, selector: { matchExpressions } } };
}

test("names the oversized objects of a hostile namespace, and assesses all others", {
  tags: ["thorough"],
  timeout: 480_000,
}, async () => {
  await using advisor = await startAdvisor({ moreCrds, startsLater: true });
  const { configs, server } = advisor;
  const planted = new PlantedCluster(server);
  await planted.plantPlatform();
  await planted.plant(workers(3));
  await planted.plantVms([
    { name: "moves", node: "worker-0" },
    { name: "blocks", node: "worker-1", isMigratable: false },
  ]);
  await planted.plant([podOf("db", { labels: { app: "db" }, owner: "StatefulSet" }), budgetOf("db", "db")]);
  const hostile = new PlantedCluster(server, "hostile");
  await hostile.plantNamespace();
  await hostile.plantVms(list(4, (at) => ({ name: `vm-${at}`, node: "worker-0", owner: null, spec: craftedVm })));
  await hostile.plant(["budget-0", "budget-1"].map(craftedBudget));
  await hostile.plant(list(craftedPods, (at) => podOf(`pod-${at}`, { labels: craftedLabels, owner: "ReplicaSet" })));

  await advisor.start();
  await configs.create(loadAware);
  const isComplete = ({ reason }: { readonly reason: string }) => reason !== "Listing";
  const { impact } = await configs.until(loadAware, (status) => status.impact?.notAssessed.every(isComplete) === true);
  expect(impact).toMatchObject({
    vms: { migrate: 1, block: 1, unknown: 4 },
    pods: { block: 1 },
    blockers: [
      { namespace: "vms", name: "blocks" },
      { namespace: "vms", name: "db", reason: "PodDisruptionBudget" },
    ],
  });
  const effect = `${craftedPods} pods may block a drain`;
  expect(impact?.notAssessed.map(({ what, reason, message }) => [what, reason, message])).toEqual([
    ["VM placement", "TooMany", "4 VMs in namespace hostile with too many affinity terms, selectors or tolerations"],
    ["pods", "TooMany", `${craftedPods} pods in namespace hostile with too many labels`],
    ["pods", "TooMany", `2 PodDisruptionBudgets in namespace hostile with too large a selector: ${effect}`],
  ]);

  await configs.edit(loadAware, { action: "Apply" });
  await untilWritten(advisor);
  const queries = requestsOf(server)
    .map(({ requestURI }) => new URL(requestURI, "http://x"))
    .filter(({ pathname }) => pathname === "/api/v1/pods")
    .map(({ searchParams }) => Object.fromEntries(searchParams));
  const firstPages = queries.filter((query) => query["continue"] === undefined);
  const ofWorker1 = firstPages.filter(({ fieldSelector }) => fieldSelector?.startsWith("spec.nodeName=worker-1,"));
  // The operator retries an oversized page with fewer pods, and does not restart the list.
  expect(ofWorker1.map(({ limit }) => limit)).toEqual(["500", "62", "7", "1"]);
  expect(advisor.operator.log.filter(({ level }) => level === "error")).toEqual([]);
  expect(advisor.operator.child.exitCode).toBeNull();
});
