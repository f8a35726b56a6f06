import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { itemOf } from "../../world/configs.ts";
import { startWorld, type World } from "../../world/world.ts";
import {
  edit,
  fault,
  loadAware,
  paths,
  readAt,
  reasonsAbout,
  removeAt,
  tellOnFailure,
  untilPoolRests,
  writesOf,
} from "./cluster.ts";

const psi = "enable-psi-metrics";
const machineConfig = "99-worker-psi-karg";
const worker = paths.pool("worker");
let world: World;

beforeAll(async () => {
  world = await startWorld();
  await world.simulate("three-workers");
  await world.startOperator({ flags: ["--advertise-profiles=false"] });
});
afterEach(tellOnFailure(() => world));
afterEach(async () => {
  await world.configs.remove(loadAware);
  await edit(world.server, worker, { spec: { paused: false } });
  await removeAt(world.server, paths.psi);
  await removeAt(world.server, paths.descheduler);
  await untilPoolRests(world.server, machineConfig, false);
});
afterAll(() => world[Symbol.asyncDispose]());

/** Until the PSI item says this. */
const untilSaid = (message: string | RegExp) =>
  world.configs.until(loadAware, (status) => {
    const said = status.items?.find(({ name }) => name === psi)?.message ?? "";
    return typeof message === "string" ? said === message : message.test(said);
  });

const done = "MachineConfigPool 'worker' is ready (all 3 nodes updated)";

test("a pool that is slow to render is not taken for one that is done", async () => {
  const { configs, server } = world;
  await fault(server, worker, ["render-delay", "9000h"]);
  await configs.create(loadAware, { action: "Apply" });
  const waiting = await untilSaid(`MachineConfigPool 'worker' has not rendered MachineConfig '${machineConfig}' yet`);
  expect(waiting.phase).toBe("InProgress");
  expect(itemOf(waiting, psi).state).toBe("InProgress");
  await configs.until(loadAware, ({ items = [] }) => items.some(({ state }) => state === "Completed"));

  await edit(server, worker, { metadata: { labels: { "looked-at": "once" } } });
  await edit(server, paths.descheduler, { metadata: { labels: { "looked-at": "once" } } });
  expect((await configs.status(loadAware)).phase).toBe("InProgress");

  await fault(server, worker, ["render-delay", null]);
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psi)).toMatchObject({ state: "Completed", message: done });
  const pool = await readAt(server, worker);
  expect(JSON.stringify(pool?.["status"])).toContain(machineConfig);
});

test("a paused pool is named in the plan and waited for, until somebody lets it go on", async () => {
  const { configs, server } = world;
  await edit(server, worker, { spec: { paused: true } });
  await configs.create(loadAware, { action: "DryRun" });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(itemOf(reviewed, psi).warnings).toEqual(["MachineConfigPool 'worker' is paused"]);

  await configs.edit(loadAware, { action: "Apply" });
  const paused = await untilSaid(/^MachineConfigPool 'worker' is paused \(Updated: \d\/3, Ready: \d\/3\)$/);
  expect(paused.phase).toBe("InProgress");
  await edit(server, worker, { spec: { paused: false } });
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psi).message).toBe(done);
});

test("a degraded node is named and waited for, and the rollout ends when it is mended", async () => {
  const { configs, server } = world;
  await fault(server, paths.node("worker-1"), ["degrade", "disk is full"]);
  await configs.create(loadAware, { action: "Apply" });
  const degraded = await untilSaid("MachineConfigPool 'worker' is degraded (1 degraded machines)");
  expect([degraded.phase, itemOf(degraded, psi).state]).toEqual(["InProgress", "InProgress"]);
  await fault(server, paths.node("worker-1"), ["degrade", null]);
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psi).message).toBe(done);
});

test("a node that breaks after the end shows in the item and in Ready, and changes neither phase nor state", async () => {
  const { configs, server } = world;
  await configs.create(loadAware, { action: "Apply" });
  await configs.until(loadAware, "Completed");
  await fault(server, paths.node("worker-2"), ["degrade", "disk is full"]);
  const unhealthy = await untilSaid("MachineConfigPool 'worker' is degraded (1 degraded machines)");
  expect(unhealthy.phase).toBe("Completed");
  expect(itemOf(unhealthy, psi).state).toBe("Completed");
  expect(unhealthy.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
    status: "False",
    reason: "NotConverged",
    message: "MachineConfigPool 'worker' is degraded (1 degraded machines)",
  });
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("RolloutUnhealthy");
  await fault(server, paths.node("worker-2"), ["degrade", null]);
  const healthy = await untilSaid(done);
  expect(healthy.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
});

test("a rollout that takes longer than waitTimeout fails the plan, which says how long it waited and for what", async () => {
  const { configs, server } = world;
  await edit(server, worker, { spec: { paused: true } });
  await configs.create(loadAware, { action: "Apply", waitTimeout: "1s" });
  const failed = await configs.until(loadAware, "Failed");
  expect(itemOf(failed, psi)).toMatchObject({ state: "Failed" });
  expect(itemOf(failed, psi).message).toMatch(
    /^Timeout waiting for resource to become healthy \(waited \d+s, timeout 1s\): MachineConfigPool 'worker' is paused \(Updated: \d\/3, Ready: \d\/3\)$/,
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

test("with failurePolicy Continue a timeout leaves errors behind, and they go when the pool has caught up", async () => {
  const { configs, server } = world;
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
