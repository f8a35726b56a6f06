// What the descheduler operator of OpenShift 4.19 and later needs and reports, and what a plan makes of it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { conditionOf } from "@virt/advisor";
import type { Item, Status } from "@virt/api";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { itemOf } from "../../cluster/config-client.ts";
import { createPrometheusRoute, deschedulerNamespace, monitoredNamespace, routeCrd } from "../../cluster/monitoring.ts";
import { startTestCluster, type TestCluster } from "../../cluster/test-cluster.ts";
import { edit, fault, loadAware, paths, printRequestsOnFailure, reasonsAbout } from "./cluster.ts";

const descheduler = "enable-load-aware-descheduling";
const psi = "enable-psi-metrics";
const refusal = "profile KubeVirtRelieveAndMigrate can only be used when PSI metrics are enabled for the worker nodes";
let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startTestCluster();
  await testCluster.server.installCrds([routeCrd]);
  const scenario = join(testCluster.server.folder, "needs-psi.json");
  const namespace = "openshift-kube-descheduler-operator";
  writeFileSync(scenario, JSON.stringify({ vms: [], descheduler: { namespace, needsPsi: true } }));
  await testCluster.simulate(scenario);
  await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
});
afterEach(printRequestsOnFailure(() => testCluster));
afterAll(() => testCluster[Symbol.asyncDispose]());

const untilMissing = (text: string) =>
  testCluster.configs.until(
    loadAware,
    (status) => conditionOf(status, "PrerequisiteFailed")?.message.startsWith(text) === true,
  );

const draftAgain = async () => {
  await testCluster.configs.edit(loadAware, { action: "Ignore" });
  await testCluster.configs.edit(loadAware, { action: "DryRun" });
};

test("the Route of Prometheus and the label of the namespace are prerequisites, each with its remedy", async () => {
  const { configs, server } = testCluster;
  await configs.create(loadAware, { action: "DryRun" });
  await untilMissing("The descheduler operator reads metrics through Route openshift-monitoring/prometheus-k8s");
  await createPrometheusRoute(server);
  await draftAgain();
  const unlabelled = await untilMissing("Namespace 'openshift-kube-descheduler-operator' does not have label");
  expect(conditionOf(unlabelled, "Ready")?.message).toContain(
    "Next: kubectl label namespace openshift-kube-descheduler-operator openshift.io/cluster-monitoring=true",
  );
  await edit(server, deschedulerNamespace, monitoredNamespace);
  await draftAgain();
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(itemOf(reviewed, descheduler).warnings).toEqual(["Rebalancing starts when the nodes have PSI metrics"]);
});

test("the item waits while the operator refuses the profile for lack of PSI, says that this is expected, and ends with the rollout", async () => {
  const { configs, server } = testCluster;
  await fault(server, paths.pool("worker"), ["render-delay", "9000h"]); // the nodes wait for PSI until it ends
  await configs.edit(loadAware, { action: "Apply" });
  const said = `KubeDescheduler 'cluster' is degraded (${refusal}); expected until nodes have PSI metrics`;
  const isWaiting = ({ state, message }: Item) => state === "InProgress" && message === said;
  const waiting = await configs.until(loadAware, ({ items = [] }: Status) =>
    items.some((item) => item.name === descheduler && isWaiting(item)),
  );
  expect(waiting.phase).toBe("InProgress");
  expect(itemOf(waiting, psi).state).not.toBe("Completed");
  expect(conditionOf(waiting, "Stalled")?.status).toBe("False");
  await fault(server, paths.pool("worker"), ["render-delay", null]);
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, descheduler).state).toBe("Completed");
  const ready = await configs.until(loadAware, (status) => conditionOf(status, "Ready")?.status === "True");
  expect(ready.rollout?.findings).toEqual([]);
});

test("a completed plan is not Ready while the operator of the descheduler is degraded, and is Ready again afterwards", async () => {
  const { configs, server } = testCluster;
  await fault(server, paths.descheduler, ["degrade", "no image"]);
  const degraded = await configs.until(loadAware, (status) => conditionOf(status, "Ready")?.status === "False");
  expect(degraded.phase).toBe("Completed");
  expect(conditionOf(degraded, "Ready")).toMatchObject({
    reason: "TargetDegraded",
    message:
      "KubeDescheduler 'cluster' is degraded (no image). Next: kubectl describe kubedescheduler cluster -n openshift-kube-descheduler-operator",
  });
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("TargetDegraded");
  await fault(server, paths.descheduler, ["degrade", null]);
  await configs.until(loadAware, (status) => conditionOf(status, "Ready")?.status === "True");
});
