import { conditionOf } from "@virt/advisor";
import { afterAll, beforeAll, expect, test } from "vitest";
import { itemOf } from "../support/config-client.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const loadAware = "load-aware-rebalancing";
let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startTestCluster();
  await testCluster.simulate("no-vms");
  await testCluster.startOperator();
});
afterAll(() => testCluster[Symbol.asyncDispose]());

test("advertises, drafts and applies a plan through its reboots, then detects drift", async () => {
  const { configs, server } = testCluster;
  await configs.until(loadAware, "Ignored");

  await configs.edit(loadAware, { action: "DryRun" });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(reviewed.items?.map(({ state }) => state)).toEqual(["Pending", "Pending"]);

  await configs.edit(loadAware, { action: "Apply" });
  const done = await configs.until(loadAware, "Completed");
  expect(itemOf(done, "enable-psi-metrics").message).toBe("MachineConfigPool 'worker' is ready (all 3 nodes updated)");
  expect(done.planHash).toBe(reviewed.planHash);

  const descheduler = [
    "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator",
    "kubedeschedulers/cluster",
  ].join("/");
  await server.request({ method: "PATCH", path: descheduler, body: { spec: { mode: "Predictive" } } });
  const drifted = await configs.until(loadAware, "Drifted");
  expect(itemOf(drifted, "enable-load-aware-descheduling").message).toContain("spec.mode");
  await server.request({ method: "PATCH", path: descheduler, body: { spec: { mode: "Automatic" } } });
  const back = await configs.until(loadAware, "Completed");
  expect(conditionOf(back, "Ready")?.status).toBe("True");
});

test("the operator sends no request that its role does not allow", () => {
  const refused = testCluster.server
    .audit()
    .filter(({ responseStatus, user }) => responseStatus?.code === 403 && user?.username?.includes("virt-advisor"));
  expect(refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
});
