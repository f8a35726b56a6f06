import { conditionOf } from "@virt/advisor";
import { at } from "@virt/objects";
import { afterEach, expect, test } from "vitest";
import {
  auditTimeNow,
  edit,
  higherDensity,
  loadAware,
  paths,
  readAt,
  reasonsAbout,
  removeAt,
  requestsOf,
  writesOf,
} from "../support/advisor.ts";
import { createDescheduler } from "../support/advisor-objects.ts";
import {
  applyToPausedPool,
  deschedulerItem,
  unpauseWorkers,
  useAdvisor,
  withoutPsi,
} from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const stale =
  "Plan is stale: target resources have been modified since plan generation. Please regenerate the plan by changing action to DryRun, then review and re-approve.";

const advisor = useAdvisor({ scenario: "no-vms" });
afterEach(async () => {
  await removeAt(advisor().server, paths.config(loadAware));
  await removeAt(advisor().server, paths.descheduler);
});

const descheduler = { deschedulingIntervalSeconds: 3600, profiles: ["AffinityAndTaints"] };

async function review() {
  await createDescheduler(advisor().server, descheduler);
  await advisor().configs.create(loadAware, { action: "DryRun", options: withoutPsi });
  return advisor().configs.until(loadAware, "ReviewRequired");
}

test("writes nothing if a target changed after the review, and requires a new review", async () => {
  const { configs, server } = advisor();
  const reviewed = await review();
  await advisor().stop();
  await edit(server, paths.descheduler, { spec: { deschedulingIntervalSeconds: 1800 } });
  await configs.edit(loadAware, { action: "Apply" });
  const writes = writesOf(server).length;
  await advisor().start();

  const waiting = await configs.until(loadAware, (status) => {
    return status.phase === "ReviewRequired" && conditionOf(status, "PlanStale")?.status === "True";
  });
  expect(conditionOf(waiting, "PlanStale")).toMatchObject({ reason: "TargetsModified", message: stale });
  expect(waiting.planHash).not.toBe(reviewed.planHash);
  expect(waiting.review).toEqual({ planHash: waiting.planHash, generation: 2, forced: true, reason: "PlanStale" });
  expect(itemOf(waiting, deschedulerItem).diff).toContain("-  deschedulingIntervalSeconds: 1800");
  expect(conditionOf(waiting, "Ready")?.message).toContain(" Next: ");
  expect(writesOf(server).slice(writes)).toEqual([]);
  await expect
    .poll(() => reasonsAbout(server, loadAware))
    .toEqual(expect.arrayContaining(["PlanStale", "ReviewForced"]));

  const completed = await configs.reapprove(loadAware);
  expect(completed.planHash).toBe(waiting.planHash);
  expect(conditionOf(completed, "PlanStale")).toMatchObject({
    status: "False",
    reason: "Acknowledged",
    message: "User approved the regenerated plan",
  });
});

test("refreshes the plan when a target is edited during the review", async () => {
  const { configs, server } = advisor();
  const reviewed = await review();
  const since = auditTimeNow();
  await edit(server, paths.descheduler, { spec: { deschedulingIntervalSeconds: 1800 } });
  const refreshed = await configs.until(loadAware, ({ planHash }) => planHash !== reviewed.planHash);
  expect(refreshed.phase).toBe("ReviewRequired");
  expect(refreshed.review).toEqual({ planHash: refreshed.planHash, generation: 1, forced: false, reason: "Requested" });
  expect(itemOf(refreshed, deschedulerItem).diff).toContain("-  deschedulingIntervalSeconds: 1800");
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("PlanRefreshed");
  const phases = requestsOf(server, since)
    .filter(({ objectRef }) => objectRef?.subresource === "status")
    .map(({ requestObject }) => at(requestObject as never, "status", "phase"));
  expect(phases).toEqual(["ReviewRequired"]);
  const completed = await configs.approve(loadAware);
  expect(completed.planHash).toBe(refreshed.planHash);
});

test("refreshes the review of a target that is deleted and re-created", async () => {
  const { configs, server } = advisor();
  const reviewed = await review();
  await removeAt(server, paths.descheduler);
  await createDescheduler(server, descheduler);
  const uid = (await readAt(server, paths.descheduler))?.metadata.uid;
  const refreshed = await configs.until(loadAware, (status) => itemOf(status, deschedulerItem).reviewed?.uid === uid);
  expect(refreshed.planHash).toBe(reviewed.planHash);
  await configs.approve(loadAware);
});

test("changes of status and unmanaged fields do not make a plan stale", async () => {
  const { configs, server } = advisor();
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

  await advisor().stop();
  await edit(server, paths.descheduler, { metadata: { labels: { team: "b" } }, spec: { logLevel: "Normal" } });
  await configs.edit(loadAware, { action: "Apply" });
  await advisor().start();
  const completed = await configs.until(loadAware, "Completed");
  expect(completed.planHash).toBe(refreshed.planHash);
  expect(conditionOf(completed, "PlanStale")).toBeUndefined();
});

test("does not write a target that changes while its item waits for another", async () => {
  const { configs, server } = advisor();
  const options = { virtHigherDensity: { memoryToRequestRatio: 200 } };
  await applyToPausedPool(advisor(), higherDensity, { options });
  const writes = writesOf(server).length;
  await edit(server, paths.hco, { spec: { higherWorkloadDensity: { memoryOvercommitPercentage: 110 } } });
  const waiting = await configs.until(higherDensity, "ReviewRequired");
  expect(waiting.review).toMatchObject({ forced: true, reason: "PlanStale" });
  expect(conditionOf(waiting, "PlanStale")?.status).toBe("True");
  await unpauseWorkers(server);
  await configs.reapprove(higherDensity);
  expect(writesOf(server).slice(writes)).toEqual(["patch hyperconvergeds/kubevirt-hyperconverged"]);
});
