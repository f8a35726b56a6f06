import { conditionOf } from "@virt/advisor";
import { at } from "@virt/objects";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  auditTimeNow,
  edit,
  higherDensity,
  loadAware,
  paths,
  printRequestsOnFailure,
  readAt,
  reasonsAbout,
  removeAt,
  requestsOf,
  writesOf,
} from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import type { RunningProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const item = "enable-load-aware-descheduling";
const options = { loadAware: { enablePSIMetrics: false } };
const stale =
  "Plan is stale: target resources have been modified since plan generation. Please regenerate the plan by changing action to DryRun, then review and re-approve.";
let testCluster: TestCluster;
let operator: RunningProgram;

const restart = async () => {
  operator = await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
};

beforeAll(async () => {
  testCluster = await startTestCluster();
  await testCluster.simulate("no-vms");
  await restart();
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  await removeAt(testCluster.server, `/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/${loadAware}`);
  await removeAt(testCluster.server, paths.descheduler);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const descheduler = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  metadata: { name: "cluster" },
  spec: { deschedulingIntervalSeconds: 3600, profiles: ["AffinityAndTaints"] },
};
const make = () => {
  const path = paths.descheduler.replace(/\/cluster$/, "");
  return testCluster.server.request({ method: "POST", path, body: descheduler });
};

async function review(spec: object = {}) {
  await make();
  await testCluster.configs.create(loadAware, { action: "DryRun", options, ...spec });
  return testCluster.configs.until(loadAware, "ReviewRequired");
}
const gesture = async () => {
  await testCluster.configs.edit(loadAware, { action: "DryRun" });
  await testCluster.configs.edit(loadAware, { action: "Apply" });
};

test("writes nothing if a target changed after the review, and requires a new review", async () => {
  const { configs, server } = testCluster;
  const reviewed = await review();
  await operator.kill();
  await edit(server, paths.descheduler, { spec: { deschedulingIntervalSeconds: 1800 } });
  await configs.edit(loadAware, { action: "Apply" });
  const writes = writesOf(server).length;
  await restart();

  const waiting = await configs.until(loadAware, (status) => {
    return status.phase === "ReviewRequired" && conditionOf(status, "PlanStale")?.status === "True";
  });
  expect(conditionOf(waiting, "PlanStale")).toMatchObject({ reason: "TargetsModified", message: stale });
  expect(waiting.planHash).not.toBe(reviewed.planHash);
  expect(waiting.review).toEqual({ planHash: waiting.planHash, generation: 2, forced: true, reason: "PlanStale" });
  expect(itemOf(waiting, item).diff).toContain("-  deschedulingIntervalSeconds: 1800");
  expect(conditionOf(waiting, "Ready")?.message).toContain(" Next: ");
  expect(writesOf(server).slice(writes)).toEqual([]);
  await expect
    .poll(() => reasonsAbout(server, loadAware))
    .toEqual(expect.arrayContaining(["PlanStale", "ReviewForced"]));

  await gesture();
  const completed = await configs.until(loadAware, "Completed");
  expect(completed.planHash).toBe(waiting.planHash);
  expect(conditionOf(completed, "PlanStale")).toMatchObject({
    status: "False",
    reason: "Acknowledged",
    message: "User approved the regenerated plan",
  });
});

test("refreshes the plan when a target is edited during the review", async () => {
  const { configs, server } = testCluster;
  const reviewed = await review();
  const since = auditTimeNow();
  await edit(server, paths.descheduler, { spec: { deschedulingIntervalSeconds: 1800 } });
  const refreshed = await configs.until(loadAware, ({ planHash }) => planHash !== reviewed.planHash);
  expect(refreshed.phase).toBe("ReviewRequired");
  expect(refreshed.review).toEqual({ planHash: refreshed.planHash, generation: 1, forced: false, reason: "Requested" });
  expect(itemOf(refreshed, item).diff).toContain("-  deschedulingIntervalSeconds: 1800");
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("PlanRefreshed");
  const phases = requestsOf(server, since)
    .filter(({ objectRef }) => objectRef?.subresource === "status")
    .map(({ requestObject }) => at(requestObject as never, "status", "phase"));
  expect(phases).toEqual(["ReviewRequired"]);
  await configs.edit(loadAware, { action: "Apply" });
  const completed = await configs.until(loadAware, "Completed");
  expect(completed.planHash).toBe(refreshed.planHash);
});

test("refreshes the review of a target that is deleted and re-created", async () => {
  const { configs, server } = testCluster;
  const reviewed = await review();
  await removeAt(server, paths.descheduler);
  await make();
  const uid = (await readAt(server, paths.descheduler))?.metadata.uid;
  const refreshed = await configs.until(loadAware, (status) => itemOf(status, item).reviewed?.uid === uid);
  expect(refreshed.planHash).toBe(reviewed.planHash);
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, "Completed");
});

test("changes of status and unmanaged fields do not make a plan stale", async () => {
  const { configs, server } = testCluster;
  const reviewed = await review();
  const since = auditTimeNow();
  await edit(server, paths.descheduler, { metadata: { labels: { team: "a" } }, spec: { logLevel: "Debug" } });
  await edit(server, `${paths.descheduler}/status`, { status: { readyReplicas: 1 } });
  await edit(server, paths.hco, { metadata: { annotations: { note: "b" } } });
  // The operator's watch of the target delivers this edit after all of the above.
  await edit(server, paths.descheduler, { spec: { deschedulingIntervalSeconds: 1801 } });
  const refreshed = await configs.until(loadAware, ({ planHash }) => planHash !== reviewed.planHash);
  const written = () => requestsOf(server, since).filter(({ objectRef }) => objectRef?.subresource === "status");
  await expect.poll(() => written().length).toBe(1); // the audit log can be late

  await operator.kill();
  await edit(server, paths.descheduler, { metadata: { labels: { team: "b" } }, spec: { logLevel: "Normal" } });
  await configs.edit(loadAware, { action: "Apply" });
  await restart();
  const completed = await configs.until(loadAware, "Completed");
  expect(completed.planHash).toBe(refreshed.planHash);
  expect(conditionOf(completed, "PlanStale")).toBeUndefined();
});

test("does not write a target that changes while its item waits for another", async () => {
  const { configs, server } = testCluster;
  await edit(server, paths.pool("worker"), { spec: { paused: true } });
  await configs.create(higherDensity, {
    action: "Apply",
    options: { virtHigherDensity: { memoryToRequestRatio: 200 } },
  });
  await configs.until(higherDensity, ({ items = [] }) => items.some(({ message }) => /is paused/.test(message)));
  const writes = writesOf(server).length;
  await edit(server, paths.hco, { spec: { higherWorkloadDensity: { memoryOvercommitPercentage: 110 } } });
  const waiting = await configs.until(higherDensity, "ReviewRequired");
  expect(waiting.review).toMatchObject({ forced: true, reason: "PlanStale" });
  expect(conditionOf(waiting, "PlanStale")?.status).toBe("True");
  await edit(server, paths.pool("worker"), { spec: { paused: false } });
  await configs.edit(higherDensity, { action: "DryRun" });
  await configs.edit(higherDensity, { action: "Apply" });
  await configs.until(higherDensity, "Completed");
  expect(writesOf(server).slice(writes)).toEqual(["patch hyperconvergeds/kubevirt-hyperconverged"]);
});
