import type { Status } from "@virt/api";
import { asText, at } from "@virt/objects";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  edit,
  eventsAbout,
  fault,
  loadAware,
  paths,
  printRequestsOnFailure,
  readAt,
  reasonsAbout,
  removeAt,
  untilPoolRests,
  writesOf,
} from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import type { RunningProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const psi = "enable-psi-metrics";
const machineConfig = "99-worker-psi-karg";
const worker = paths.pool("worker");
let testCluster: TestCluster;
let operator: RunningProgram;

const restart = async () => {
  operator = await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
};

beforeAll(async () => {
  testCluster = await startTestCluster();
  await testCluster.simulate("three-workers");
  await restart();
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  await testCluster.configs.remove(loadAware);
  await edit(testCluster.server, worker, { spec: { paused: false } });
  await removeAt(testCluster.server, paths.psi);
  await removeAt(testCluster.server, paths.descheduler);
  await untilPoolRests(testCluster.server, machineConfig, false);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const untilSaid = (message: string | RegExp) =>
  testCluster.configs.until(loadAware, (status) => {
    const said = status.items?.find(({ name }) => name === psi)?.message ?? "";
    return typeof message === "string" ? said === message : message.test(said);
  });

const broken = (node: string) =>
  `MachineConfigPool 'worker' is degraded (1 of 3 nodes: Node ${node} is reporting: "disk is full")`;
const done = "MachineConfigPool 'worker' is ready (all 3 nodes updated)";

test("does not complete a plan before a slow pool has rendered it", async () => {
  const { configs, server } = testCluster;
  await fault(server, worker, ["render-delay", "9000h"]);
  await configs.create(loadAware, { action: "Apply" });
  const waiting = await untilSaid(`MachineConfigPool 'worker' has not rendered MachineConfig '${machineConfig}' yet`);
  expect(waiting.phase).toBe("InProgress");
  expect(itemOf(waiting, psi).state).toBe("InProgress");
  await configs.until(loadAware, ({ items = [] }) => items.some(({ state }) => state === "Completed"));

  await edit(server, worker, { metadata: { labels: { "reconcile-me": "once" } } });
  await edit(server, paths.descheduler, { metadata: { labels: { "reconcile-me": "once" } } });
  expect((await configs.status(loadAware)).phase).toBe("InProgress");

  await fault(server, worker, ["render-delay", null]);
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psi)).toMatchObject({ state: "Completed", message: done });
  const pool = await readAt(server, worker);
  expect(JSON.stringify(pool?.["status"])).toContain(machineConfig);
});

test("does not complete a changed MachineConfig before the pool has rendered the change", async () => {
  const { configs, server } = testCluster;
  await configs.create(loadAware, { action: "Apply" });
  await configs.until(loadAware, "Completed");
  const target = async () => at(await readAt(server, worker), "spec", "configuration", "name");
  const before = await target();
  await edit(server, paths.psi, { spec: { kernelArguments: ["psi=0"] } });
  await configs.until(loadAware, "Drifted");
  await expect.poll(target).not.toBe(before); // the pool is also idle before it has rendered the edit
  await untilPoolRests(server, machineConfig, true);
  await fault(server, worker, ["render-delay", "9000h"]);

  await configs.edit(loadAware, { action: "DryRun" });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(itemOf(reviewed, psi).changes).toBe(true);
  await configs.edit(loadAware, { action: "Apply" });
  const waiting = await untilSaid(`MachineConfigPool 'worker' has not rendered MachineConfig '${machineConfig}' yet`);
  expect([waiting.phase, itemOf(waiting, psi).state]).toEqual(["InProgress", "InProgress"]);

  await fault(server, worker, ["render-delay", null]);
  await configs.until(loadAware, "Completed");
  const rendered = asText(at(await readAt(server, worker), "status", "configuration", "name")) ?? "";
  const content = await readAt(server, `${paths.psi.slice(0, paths.psi.lastIndexOf("/"))}/${rendered}`);
  expect(at(content, "spec", "kernelArguments")).toContain("psi=1");
});

test("names a paused pool in the plan, and waits until it is unpaused", async () => {
  const { configs, server } = testCluster;
  await edit(server, worker, { spec: { paused: true } });
  await configs.create(loadAware, { action: "DryRun" });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(itemOf(reviewed, psi).warnings).toEqual([
    "Reboots 3 nodes of MachineConfigPool 'worker', once it is unpaused",
    "MachineConfigPool 'worker' is paused",
  ]);

  await configs.edit(loadAware, { action: "Apply" });
  const paused = await untilSaid(/^MachineConfigPool 'worker' is paused \(\d of 3 nodes updated(, [^)]*)?\)$/);
  expect(paused.phase).toBe("InProgress");
  await edit(server, worker, { spec: { paused: false } });
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psi).message).toBe(done);
});

test("names a degraded node, and completes the rollout after it is fixed", async () => {
  const { configs, server } = testCluster;
  await fault(server, paths.node("worker-1"), ["degrade", "disk is full"]);
  await configs.create(loadAware, { action: "Apply" });
  await untilSaid(broken("worker-1"));
  // Nodes are counted after the pool has rendered the plan, which can be later than the report of the node.
  const degraded = await configs.until(loadAware, ({ progress = "" }) => /^(stuck: )?[012]\/3 nodes$/.test(progress));
  expect([degraded.phase, itemOf(degraded, psi).state]).toEqual(["InProgress", "InProgress"]);
  expect(degraded.conditions?.find(({ type }) => type === "Ready")?.message).toBe(
    `Applying plan configuration: ${broken("worker-1")}. Next: fix the cause. The rollout then continues automatically.`,
  );
  await expect
    .poll(async () => (await eventsAbout(server, loadAware)).filter(({ reason }) => reason === "RolloutUnhealthy"))
    .toMatchObject([
      {
        type: "Warning",
        note: `The rollout of plan ${degraded.planHash?.slice(0, 12)} is unhealthy: ${broken("worker-1")}`,
      },
    ]);
  await fault(server, paths.node("worker-1"), ["degrade", null]);
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psi).message).toBe(done);
  expect(completed.progress).toBeUndefined();
});

test("reports a node that degrades after completion without changing phase or item state", async () => {
  const { configs, server } = testCluster;
  await configs.create(loadAware, { action: "Apply" });
  await configs.until(loadAware, "Completed");
  await fault(server, paths.node("worker-2"), ["degrade", "disk is full"]);
  const unhealthy = await untilSaid(broken("worker-2"));
  expect(unhealthy.phase).toBe("Completed");
  expect(itemOf(unhealthy, psi).state).toBe("Completed");
  expect(unhealthy.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
    status: "False",
    reason: "NotConverged",
    message: expect.stringContaining(broken("worker-2")),
  });
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("RolloutUnhealthy");
  await fault(server, paths.node("worker-2"), ["degrade", null]);
  const healthy = await untilSaid(done);
  expect(healthy.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
});

test("fails a rollout that exceeds waitTimeout, and reports the duration and the cause", async () => {
  const { configs, server } = testCluster;
  await edit(server, worker, { spec: { paused: true } });
  await configs.create(loadAware, { action: "Apply", waitTimeout: "1s" });
  const failed = await configs.until(loadAware, "Failed");
  expect(itemOf(failed, psi)).toMatchObject({ state: "Failed" });
  expect(itemOf(failed, psi).message).toMatch(
    /^Timeout waiting for resource to become healthy \(waited \d+s, timeout 1s\): MachineConfigPool 'worker' is paused \(\d of 3 nodes updated(, [^)]*)?\)$/,
  );
  const own = failed.conditions?.find(({ type }) => type === "Failed");
  expect(own?.message).toMatch(/^Item 'enable-psi-metrics' failed: timeout after \d+s$/);
  expect(failed.conditions?.find(({ type }) => type === "Stalled")).toMatchObject({ status: "True", reason: "Failed" });
  await expect
    .poll(() => reasonsAbout(server, loadAware))
    .toEqual(expect.arrayContaining(["ItemFailed", "PlanFailed"]));

  await edit(server, worker, { spec: { paused: false } });
  await untilPoolRests(server, machineConfig, true);
  expect((await configs.status(loadAware)).phase).toBe("Failed");
  await configs.edit(loadAware, { waitTimeout: "1h" });
  await configs.until(loadAware, "Completed");
});

test("failurePolicy Continue: a timeout causes errors, which clear when the pool is updated", async () => {
  const { configs, server } = testCluster;
  await edit(server, worker, { spec: { paused: true } });
  await configs.create(loadAware, { action: "Apply", waitTimeout: "1s", failurePolicy: "Continue" });
  const withErrors = await configs.until(loadAware, "CompletedWithErrors");
  expect(withErrors.items?.map(({ state }) => state)).toEqual(["Failed", "Completed"]);
  expect(itemOf(withErrors, psi).message).toContain("Timeout waiting for resource to become healthy");
  const before = writesOf(server).length;
  await edit(server, worker, { spec: { paused: false } });
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psi)).toMatchObject({ state: "Completed", message: done });
  expect(writesOf(server).slice(before)).toEqual([]);
});

const ready = (status: Status) => status.conditions?.find(({ type }) => type === "Ready");

test.each([
  { edited: "DryRun", spec: { action: "DryRun" } },
  { edited: "other options", spec: { options: { loadAware: { enablePSIMetrics: false, mode: "Predictive" } } } },
])("does not complete while nodes roll out a deletion, after an edit to $edited", async ({ spec }) => {
  const { configs, server } = testCluster;
  await configs.create(loadAware, { action: "Apply" });
  await configs.until(loadAware, "Completed");
  await edit(server, worker, { spec: { paused: true } });
  await configs.edit(loadAware, { options: { loadAware: { enablePSIMetrics: false } } });
  // The previous plan's item also has this message until the pool has observed its own pause.
  await configs.until(loadAware, ({ items = [] }) =>
    items.some(({ operation, message }) => operation === "Delete" && /is paused/.test(message)),
  );

  await configs.edit(loadAware, spec);
  const edited = await configs.until(
    loadAware,
    ({ observedGeneration, phase }) => observedGeneration === 3 && phase !== "Drafting" && phase !== "Pending",
  );
  expect(edited.phase).not.toBe("Completed");
  expect(edited.rollouts?.map((rollout) => rollout.machineConfig)).toEqual([machineConfig]);
  const rolling = await configs.until(loadAware, ({ conditions = [] }) =>
    conditions.some(({ type, status, message }) => {
      const isReportedOfPlan = type === "Reconciling" && message.startsWith("MachineConfigPool 'worker' is paused");
      return (
        status === "True" && (isReportedOfPlan || (type === "Stalled" && message.startsWith("Pool worker is paused")))
      );
    }),
  );
  expect(rolling.phase).not.toBe("Completed");
  expect(ready(rolling)?.status).toBe("False");

  await edit(server, worker, { spec: { paused: false } });
  await untilPoolRests(server, machineConfig, false);
  const completed = await configs.until(loadAware, "Completed");
  expect(completed.rollouts).toBeUndefined();
  expect(ready(completed)?.status).toBe("True");
});

test("remembers a rollout across a restart, and forgets it when the config is ignored", async () => {
  const { configs, server } = testCluster;
  await edit(server, worker, { spec: { paused: true } });
  await configs.create(loadAware, { action: "Apply" });
  await untilSaid(/is paused/);
  await operator.kill();
  await configs.edit(loadAware, { action: "DryRun", options: { loadAware: { mode: "Predictive" } } });
  await restart();
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(reviewed.rollouts?.map((rollout) => rollout.machineConfig)).toEqual([machineConfig]);
  await configs.edit(loadAware, { action: "Ignore" });
  const ignored = await configs.until(loadAware, "Ignored");
  expect(ignored.rollouts).toBeUndefined();
});
