import { readFileSync } from "node:fs";
import type { Phase, Status } from "@virt/api";
import { at } from "@virt/objects";
import type { Crd } from "@virt/testkit";
import { load } from "js-yaml";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  edit,
  loadAware,
  paths,
  printRequestsOnFailure,
  readAt,
  removeAt,
  untilPoolRests,
  writesOf,
} from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import { mockCrd, startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const worker = paths.pool("worker");
const deschedulers = mockCrd("kubedeschedulers-v532");
let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startTestCluster();
  await testCluster.simulate("no-vms");
  await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  const { configs, server } = testCluster;
  await configs.remove(loadAware);
  await edit(server, worker, { spec: { paused: false } });
  await edit(server, paths.hco, { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 5 } } });
  await removeAt(server, paths.psi);
  await removeAt(server, paths.descheduler);
  await untilPoolRests(server, "99-worker-psi-karg", false);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const noPsi = { loadAware: { enablePSIMetrics: false } };
/** The value that the edit requests in every phase. Only the plan distinguishes it from the earlier one. */
const wanted = 300;
const edited = { options: { loadAware: { deschedulingIntervalSeconds: wanted } } };
const plannedInterval = (status: Status) =>
  at(
    status.items?.find(({ name }) => name === "enable-load-aware-descheduling")?.desiredState,
    "spec",
    "deschedulingIntervalSeconds",
  );
const liveInterval = async () =>
  at(await readAt(testCluster.server, paths.descheduler), "spec", "deschedulingIntervalSeconds");
const pause = () => edit(testCluster.server, worker, { spec: { paused: true } });
const unpause = () => edit(testCluster.server, worker, { spec: { paused: false } });

test("Ignored: edited options apply only after the config is managed", async () => {
  const { configs } = testCluster;
  await configs.create(loadAware, { action: "Ignore", options: noPsi });
  await configs.until(loadAware, "Ignored");
  await configs.edit(loadAware, edited);
  const ignored = await configs.until(loadAware, ({ observedGeneration }) => observedGeneration === 2);
  expect([ignored.phase, ignored.items]).toEqual(["Ignored", undefined]);
  expect(await liveInterval()).toBeUndefined();
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, "Completed");
  expect(await liveInterval()).toBe(wanted);
});

test("PrerequisiteFailed: the later plan uses the edited options", async () => {
  const { configs, server } = testCluster;
  await server.removeCrd(load(readFileSync(deschedulers, "utf8")) as Crd);
  await configs.create(loadAware, { action: "DryRun", options: noPsi });
  await configs.until(loadAware, "PrerequisiteFailed");
  await configs.edit(loadAware, edited);
  await configs.until(loadAware, (status) => status.phase === "PrerequisiteFailed" && status.observedGeneration === 2);
  await server.installCrds([deschedulers]);
  expect(plannedInterval(await configs.until(loadAware, "ReviewRequired"))).toBe(wanted);
});

test("ReviewRequired: edited options show a new plan and write nothing", async () => {
  const { configs } = testCluster;
  await configs.create(loadAware, { action: "DryRun" });
  const before = await configs.until(loadAware, "ReviewRequired");
  await configs.edit(loadAware, edited);
  const after = await configs.until(
    loadAware,
    (status) => status.phase === "ReviewRequired" && plannedInterval(status) === wanted,
  );
  expect(after.planHash).not.toBe(before.planHash);
  expect(after.review).toEqual({ planHash: after.planHash, generation: 2, forced: false, reason: "Requested" });
  expect(await liveInterval()).toBeUndefined();
});

test("ReviewRequired: an edit of options and action runs the new plan", async () => {
  const { configs } = testCluster;
  await configs.create(loadAware, { action: "DryRun", options: noPsi });
  await configs.until(loadAware, "ReviewRequired");
  await configs.edit(loadAware, { action: "Apply", ...edited });
  await configs.until(loadAware, "Completed");
  expect(await liveInterval()).toBe(wanted);
});

test("InProgress: redrafts the plan, continues it, and keeps the rollout's start time", async () => {
  const { configs, server } = testCluster;
  await pause();
  await configs.create(loadAware, { action: "Apply" });
  const running = await configs.until(
    loadAware,
    ({ items = [] }) => items[0]?.appliedTime !== undefined && items[1]?.state === "Completed",
  );
  const writes = writesOf(server).length;
  await configs.edit(loadAware, edited);
  const again = await configs.until(
    loadAware,
    (status) =>
      status.phase === "InProgress" &&
      itemOf(status, "enable-load-aware-descheduling").appliedTime !== undefined &&
      plannedInterval(status) === wanted,
  );
  expect(await liveInterval()).toBe(wanted);
  expect(itemOf(again, "enable-psi-metrics").rollout?.startTime).toBe(
    itemOf(running, "enable-psi-metrics").rollout?.startTime,
  );
  expect(writesOf(server).slice(writes)).toEqual(["patch kubedeschedulers/cluster"]);
  await unpause();
  await configs.until(loadAware, "Completed");
});

type EndedPlan = { readonly phase: Phase; readonly reach: () => Promise<unknown> };

const ended: readonly EndedPlan[] = [
  {
    phase: "Completed",
    reach: () => testCluster.configs.create(loadAware, { action: "Apply", options: noPsi }),
  },
  {
    phase: "Drifted",
    reach: async () => {
      await testCluster.configs.create(loadAware, { action: "Apply", options: noPsi });
      await testCluster.configs.until(loadAware, "Completed");
      await edit(testCluster.server, paths.descheduler, { spec: { mode: "Predictive" } });
    },
  },
  {
    phase: "Failed",
    reach: async () => {
      await pause();
      await testCluster.configs.create(loadAware, { action: "Apply", waitTimeout: "1s" });
      await testCluster.configs.until(loadAware, "Failed");
      await unpause();
    },
  },
  {
    phase: "CompletedWithErrors",
    reach: async () => {
      await pause();
      await testCluster.configs.create(loadAware, { action: "Apply", waitTimeout: "1s", failurePolicy: "Continue" });
    },
  },
];

test.each(ended)("$phase: an Apply with other options drafts and runs the new plan", async ({ phase, reach }) => {
  const { configs } = testCluster;
  await reach();
  await configs.until(loadAware, phase);
  await unpause();
  await configs.edit(loadAware, { ...edited, waitTimeout: "1h" });
  const completed = await configs.until(
    loadAware,
    (status) => status.phase === "Completed" && plannedInterval(status) === wanted,
  );
  expect(completed.executedGeneration).toBe(2);
  expect(await readAt(testCluster.server, paths.descheduler)).toMatchObject({
    spec: { deschedulingIntervalSeconds: wanted, mode: "Automatic" },
  });
});

test.each(ended)(
  "$phase: a DryRun with other options shows the new plan and writes nothing",
  async ({ phase, reach }) => {
    const { configs, server } = testCluster;
    await reach();
    await configs.until(loadAware, phase);
    const writes = writesOf(server).length;
    await configs.edit(loadAware, { ...edited, action: "DryRun" });
    const reviewed = await configs.until(
      loadAware,
      (status) => status.phase === "ReviewRequired" && plannedInterval(status) === wanted,
    );
    expect(reviewed.review).toMatchObject({ forced: false, reason: "Requested" });
    expect(writesOf(server).slice(writes)).toEqual([]);
  },
);

test("forced review: an edit shows the new plan, which still needs an approval", async () => {
  const { configs, server } = testCluster;
  await configs.create(loadAware, { action: "Apply", options: noPsi });
  await configs.until(loadAware, "Completed");
  await edit(server, paths.hco, { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 20 } } });
  await configs.until(loadAware, "ReviewRequired");
  const writes = writesOf(server).length;
  await configs.edit(loadAware, edited);
  const shown = await configs.until(
    loadAware,
    (status) => status.phase === "ReviewRequired" && plannedInterval(status) === wanted,
  );
  expect(shown.review).toEqual({ planHash: shown.planHash, generation: 2, forced: true, reason: "InputChanged" });
  expect(writesOf(server).slice(writes)).toEqual([]);
  await configs.edit(loadAware, { action: "DryRun" });
  await configs.edit(loadAware, { action: "Apply" });
  const completed = await configs.until(loadAware, "Completed");
  expect(completed.planHash).toBe(shown.planHash);
  expect(await liveInterval()).toBe(wanted);
});
