import { conditionOf } from "@virt/advisor";
import { asText, at } from "@virt/objects";
import { afterEach, expect, test } from "vitest";
import {
  edit,
  eventsAbout,
  fault,
  loadAware,
  paths,
  readAt,
  reasonsAbout,
  untilPoolRests,
  writesOf,
} from "../support/advisor.ts";
import {
  pauseWorkers,
  psiItem,
  psiMachineConfig,
  removeLoadAware,
  unpauseWorkers,
  useAdvisor,
  withoutPsi,
} from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const worker = paths.pool("worker");

const advisor = useAdvisor({ scenario: "three-workers" });
afterEach(() => removeLoadAware(advisor()));

const untilSaid = (message: string | RegExp) =>
  advisor().configs.until(loadAware, (status) => {
    const said = status.items?.find(({ name }) => name === psiItem)?.message ?? "";
    return typeof message === "string" ? said === message : message.test(said);
  });

const broken = (node: string) =>
  `MachineConfigPool 'worker' is degraded (1 of 3 nodes: Node ${node} is reporting: "disk is full")`;
const done = "MachineConfigPool 'worker' is ready (all 3 nodes updated)";

test("does not complete a plan before a slow pool has rendered it", async () => {
  const { configs, server } = advisor();
  await fault(server, worker, ["render-delay", "9000h"]);
  await configs.create(loadAware, { action: "Apply" });
  const waiting = await untilSaid(
    `MachineConfigPool 'worker' has not rendered MachineConfig '${psiMachineConfig}' yet`,
  );
  expect(waiting.phase).toBe("InProgress");
  expect(itemOf(waiting, psiItem).state).toBe("InProgress");
  await configs.until(loadAware, ({ items = [] }) => items.some(({ state }) => state === "Completed"));

  await edit(server, worker, { metadata: { labels: { "reconcile-me": "once" } } });
  await edit(server, paths.descheduler, { metadata: { labels: { "reconcile-me": "once" } } });
  expect((await configs.status(loadAware)).phase).toBe("InProgress");

  await fault(server, worker, ["render-delay", null]);
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psiItem)).toMatchObject({ state: "Completed", message: done });
  const pool = await readAt(server, worker);
  expect(JSON.stringify(pool?.["status"])).toContain(psiMachineConfig);
});

test("does not complete a changed MachineConfig before the pool has rendered the change", async () => {
  const { configs, server } = advisor();
  await configs.complete(loadAware);
  const target = async () => at(await readAt(server, worker), "spec", "configuration", "name");
  const before = await target();
  await edit(server, paths.psi, { spec: { kernelArguments: ["psi=0"] } });
  await configs.until(loadAware, "Drifted");
  await expect.poll(target).not.toBe(before); // the pool is also idle before it has rendered the edit
  await untilPoolRests(server, psiMachineConfig, true);
  await fault(server, worker, ["render-delay", "9000h"]);

  await configs.edit(loadAware, { action: "DryRun" });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(itemOf(reviewed, psiItem).changes).toBe(true);
  await configs.edit(loadAware, { action: "Apply" });
  const waiting = await untilSaid(
    `MachineConfigPool 'worker' has not rendered MachineConfig '${psiMachineConfig}' yet`,
  );
  expect([waiting.phase, itemOf(waiting, psiItem).state]).toEqual(["InProgress", "InProgress"]);

  await fault(server, worker, ["render-delay", null]);
  await configs.until(loadAware, "Completed");
  const rendered = asText(at(await readAt(server, worker), "status", "configuration", "name")) ?? "";
  const content = await readAt(server, `${paths.psi.slice(0, paths.psi.lastIndexOf("/"))}/${rendered}`);
  expect(at(content, "spec", "kernelArguments")).toContain("psi=1");
});

test("names a paused pool in the plan, and waits until it is unpaused", async () => {
  const { configs, server } = advisor();
  await pauseWorkers(server);
  const reviewed = await configs.draft(loadAware);
  expect(itemOf(reviewed, psiItem).warnings).toEqual([
    "Reboots 3 nodes of MachineConfigPool 'worker', once it is unpaused",
    "MachineConfigPool 'worker' is paused",
  ]);

  await configs.edit(loadAware, { action: "Apply" });
  const paused = await untilSaid(/^MachineConfigPool 'worker' is paused \(\d of 3 nodes updated(, [^)]*)?\)$/);
  expect(paused.phase).toBe("InProgress");
  await unpauseWorkers(server);
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psiItem).message).toBe(done);
});

test("names a degraded node, and completes the rollout after it is fixed", async () => {
  const { configs, server } = advisor();
  await fault(server, paths.node("worker-1"), ["degrade", "disk is full"]);
  await configs.create(loadAware, { action: "Apply" });
  await untilSaid(broken("worker-1"));
  // Nodes are counted after the pool has rendered the plan, which can be later than the report of the node.
  const degraded = await configs.until(loadAware, ({ progress = "" }) => /^(stuck: )?[012]\/3 nodes$/.test(progress));
  expect([degraded.phase, itemOf(degraded, psiItem).state]).toEqual(["InProgress", "InProgress"]);
  expect(conditionOf(degraded, "Ready")?.message).toBe(
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
  expect(itemOf(completed, psiItem).message).toBe(done);
  expect(completed.progress).toBeUndefined();
});

test("reports a node that degrades after completion without changing phase or item state", async () => {
  const { configs, server } = advisor();
  await configs.complete(loadAware);
  await fault(server, paths.node("worker-2"), ["degrade", "disk is full"]);
  const unhealthy = await untilSaid(broken("worker-2"));
  expect(unhealthy.phase).toBe("Completed");
  expect(itemOf(unhealthy, psiItem).state).toBe("Completed");
  expect(conditionOf(unhealthy, "Ready")).toMatchObject({
    status: "False",
    reason: "NotConverged",
    message: expect.stringContaining(broken("worker-2")),
  });
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("RolloutUnhealthy");
  await fault(server, paths.node("worker-2"), ["degrade", null]);
  const healthy = await untilSaid(done);
  expect(conditionOf(healthy, "Ready")?.status).toBe("True");
});

test("fails a rollout that exceeds waitTimeout, and reports the duration and the cause", async () => {
  const { configs, server } = advisor();
  await pauseWorkers(server);
  await configs.create(loadAware, { action: "Apply", waitTimeout: "1s" });
  const failed = await configs.until(loadAware, "Failed");
  expect(itemOf(failed, psiItem)).toMatchObject({ state: "Failed" });
  expect(itemOf(failed, psiItem).message).toMatch(
    /^Timeout waiting for resource to become healthy \(waited \d+s, timeout 1s\): MachineConfigPool 'worker' is paused \(\d of 3 nodes updated(, [^)]*)?\)$/,
  );
  const own = conditionOf(failed, "Failed");
  expect(own?.message).toMatch(/^Item 'enable-psi-metrics' failed: timeout after \d+s$/);
  expect(conditionOf(failed, "Stalled")).toMatchObject({ status: "True", reason: "Failed" });
  await expect
    .poll(() => reasonsAbout(server, loadAware))
    .toEqual(expect.arrayContaining(["ItemFailed", "PlanFailed"]));

  await unpauseWorkers(server);
  await untilPoolRests(server, psiMachineConfig, true);
  expect((await configs.status(loadAware)).phase).toBe("Failed");
  await configs.edit(loadAware, { waitTimeout: "1h" });
  await configs.until(loadAware, "Completed");
});

test("failurePolicy Continue: a timeout causes errors, which clear when the pool is updated", async () => {
  const { configs, server } = advisor();
  await pauseWorkers(server);
  await configs.create(loadAware, { action: "Apply", waitTimeout: "1s", failurePolicy: "Continue" });
  const withErrors = await configs.until(loadAware, "CompletedWithErrors");
  expect(withErrors.items?.map(({ state }) => state)).toEqual(["Failed", "Completed"]);
  expect(itemOf(withErrors, psiItem).message).toContain("Timeout waiting for resource to become healthy");
  const before = writesOf(server).length;
  await unpauseWorkers(server);
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psiItem)).toMatchObject({ state: "Completed", message: done });
  expect(writesOf(server).slice(before)).toEqual([]);
});

test.each([
  { edited: "DryRun", spec: { action: "DryRun" } },
  { edited: "other options", spec: { options: { loadAware: { enablePSIMetrics: false, mode: "Predictive" } } } },
])("does not complete while nodes roll out a deletion, after an edit to $edited", async ({ spec }) => {
  const { configs, server } = advisor();
  await configs.complete(loadAware);
  await pauseWorkers(server);
  await configs.edit(loadAware, { options: withoutPsi });
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
  expect(edited.rollouts?.map((rollout) => rollout.machineConfig)).toEqual([psiMachineConfig]);
  const rolling = await configs.until(loadAware, ({ conditions = [] }) =>
    conditions.some(({ type, status, message }) => {
      const isReportedOfPlan = type === "Reconciling" && message.startsWith("MachineConfigPool 'worker' is paused");
      return (
        status === "True" && (isReportedOfPlan || (type === "Stalled" && message.startsWith("Pool worker is paused")))
      );
    }),
  );
  expect(rolling.phase).not.toBe("Completed");
  expect(conditionOf(rolling, "Ready")?.status).toBe("False");

  await unpauseWorkers(server);
  await untilPoolRests(server, psiMachineConfig, false);
  const completed = await configs.until(loadAware, "Completed");
  expect(completed.rollouts).toBeUndefined();
  expect(conditionOf(completed, "Ready")?.status).toBe("True");
});

test("remembers a rollout across a restart, and forgets it when the config is ignored", async () => {
  const { configs, server } = advisor();
  await pauseWorkers(server);
  await configs.create(loadAware, { action: "Apply" });
  await untilSaid(/is paused/);
  await advisor().stop();
  await configs.edit(loadAware, { action: "DryRun", options: { loadAware: { mode: "Predictive" } } });
  await advisor().start();
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(reviewed.rollouts?.map((rollout) => rollout.machineConfig)).toEqual([psiMachineConfig]);
  await configs.edit(loadAware, { action: "Ignore" });
  const ignored = await configs.until(loadAware, "Ignored");
  expect(ignored.rollouts).toBeUndefined();
});
