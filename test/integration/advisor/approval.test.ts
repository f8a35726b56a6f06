import { conditionOf } from "@virt/advisor";
import { at } from "@virt/engine";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { itemOf } from "../../world/configs.ts";
import type { RunningProgram } from "../../world/program.ts";
import { startWorld, type World } from "../../world/world.ts";
import { edit, loadAware, paths, readAt, reasonsAbout, removeAt, tellOnFailure, writesOf } from "./cluster.ts";

const item = "enable-load-aware-descheduling";
const options = { loadAware: { enablePSIMetrics: false } };
const otherHash = "0".repeat(64);
let world: World;
let operator: RunningProgram;

const restart = async (...flags: readonly string[]) => {
  operator = await world.startOperator({ flags: ["--advertise-profiles=false", ...flags] });
};

beforeAll(async () => {
  world = await startWorld();
  await restart();
});
afterEach(tellOnFailure(() => world));
afterEach(async () => {
  await world.configs.remove(loadAware);
  await removeAt(world.server, paths.descheduler);
});
afterAll(() => world[Symbol.asyncDispose]());

const mode = async () => at(await readAt(world.server, paths.descheduler), "spec", "mode");

test("a pinned approval runs the plan with that hash, and no other", async () => {
  const { configs, server } = world;
  await configs.create(loadAware, { action: "Apply", options, approvedPlan: otherHash });
  const held = await configs.until(loadAware, "ReviewRequired");
  expect(held.review).toEqual({ planHash: held.planHash, generation: 1, forced: true, reason: "ApprovalRequired" });
  const asked = `Plan ready for review. Set spec.approvedPlan to '${held.planHash}' and action to 'Apply' to execute.`;
  expect(conditionOf(held, "ReviewRequired")?.message).toBe(asked);
  expect(conditionOf(held, "Ready")).toMatchObject({ status: "False", reason: "ReviewRequired" });

  await configs.edit(loadAware, { approvedPlan: "1".repeat(64) });
  const stillHeld = await configs.until(loadAware, ({ observedGeneration }) => observedGeneration === 2);
  expect([stillHeld.phase, stillHeld.planHash]).toEqual(["ReviewRequired", held.planHash]);
  expect(writesOf(server)).toEqual([]);

  await configs.edit(loadAware, { approvedPlan: held.planHash });
  const completed = await configs.until(loadAware, "Completed");
  expect(completed.planHash).toBe(held.planHash);
  expect(writesOf(server)).toEqual(["patch kubedeschedulers/cluster"]);
});

test("a pinned approval does not count for the plan that a moved target leads to", async () => {
  const { configs, server } = world;
  await configs.create(loadAware, { action: "DryRun", options });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  await operator.kill();
  await configs.edit(loadAware, { action: "Apply", approvedPlan: reviewed.planHash });
  const path = paths.descheduler.replace(/\/cluster$/, "");
  const body = {
    apiVersion: "operator.openshift.io/v1",
    kind: "KubeDescheduler",
    metadata: { name: "cluster" },
    spec: { mode: "Predictive", profiles: ["LifecycleAndUtilization"] },
  };
  await server.request({ method: "POST", path, body });
  const writes = writesOf(server).length;
  await restart();
  const waiting = await configs.until(
    loadAware,
    ({ phase, planHash }) => phase === "ReviewRequired" && planHash !== reviewed.planHash,
  );
  expect(waiting.review?.forced).toBe(true);
  expect(writesOf(server).slice(writes)).toEqual([]);
  await configs.edit(loadAware, { approvedPlan: waiting.planHash });
  await configs.until(loadAware, "Completed");
  expect(await mode()).toBe("Automatic");
});

test("with --require-approved-plan an Apply without a hash waits, and says which hash it waits for", async () => {
  const { configs, server } = world;
  await operator.kill();
  await restart("--require-approved-plan");
  const writes = writesOf(server).length;
  await configs.create(loadAware, { action: "Apply", options });
  const held = await configs.until(loadAware, "ReviewRequired");
  expect(held.review).toMatchObject({ forced: true, reason: "ApprovalRequired" });
  expect(conditionOf(held, "Ready")?.message).toContain(`set spec.approvedPlan to '${held.planHash}'`);
  await configs.edit(loadAware, { action: "DryRun" });
  await configs.edit(loadAware, { action: "Apply" });
  const again = await configs.until(
    loadAware,
    ({ phase, observedGeneration }) => phase === "ReviewRequired" && observedGeneration === 3,
  );
  expect(again.planHash).toBe(held.planHash);
  expect(writesOf(server).slice(writes)).toEqual([]);
  await configs.edit(loadAware, { approvedPlan: held.planHash });
  await configs.until(loadAware, "Completed");
  await operator.kill();
  await restart();
});

test("bypassOptimisticLock: a target that moved before the approval is applied over", async () => {
  const { configs, server } = world;
  await configs.create(loadAware, { action: "DryRun", options, bypassOptimisticLock: true });
  await configs.until(loadAware, "ReviewRequired");
  await operator.kill();
  const path = paths.descheduler.replace(/\/cluster$/, "");
  const body = {
    apiVersion: "operator.openshift.io/v1",
    kind: "KubeDescheduler",
    metadata: { name: "cluster" },
    spec: { mode: "Predictive", profiles: ["LifecycleAndUtilization"] },
  };
  await server.request({ method: "POST", path, body });
  await configs.edit(loadAware, { action: "Apply" });
  await restart();
  const completed = await configs.until(loadAware, "Completed");
  expect(conditionOf(completed, "PlanStale")).toBeUndefined();
  expect(await mode()).toBe("Automatic");
});

test("bypassOptimisticLock: the first drift is corrected at once, the second is announced and waits", async () => {
  const { configs, server } = world;
  await configs.create(loadAware, { action: "Apply", options, bypassOptimisticLock: true });
  const applied = await configs.until(loadAware, "Completed");
  await edit(server, paths.descheduler, { spec: { mode: "Predictive" } });
  const corrected = await configs.until(
    loadAware,
    (status) => status.phase === "Completed" && itemOf(status, item).corrections?.length === 1,
  );
  expect(await mode()).toBe("Automatic");
  expect(corrected.executedGeneration).toBe(applied.executedGeneration);
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("DriftCorrected");

  const writes = writesOf(server).length;
  await edit(server, paths.descheduler, { spec: { mode: "Predictive" } });
  const drifted = await configs.until(loadAware, "Drifted");
  expect(conditionOf(drifted, "Reconciling")).toMatchObject({ status: "True", reason: "Correcting" });
  expect(conditionOf(drifted, "Stalled")?.status).toBe("False");
  await edit(server, paths.descheduler, { metadata: { labels: { "looked-at": "again" } } });
  expect(writesOf(server).slice(writes)).toEqual([]);
  expect(await mode()).toBe("Predictive");
  await edit(server, paths.descheduler, { spec: { mode: "Automatic" } });
  const cleared = await configs.until(loadAware, "Completed");
  expect(conditionOf(cleared, "Reconciling")?.status).toBe("False");
});
