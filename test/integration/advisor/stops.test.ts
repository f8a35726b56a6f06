import { at } from "@virt/engine";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { itemOf } from "../../world/configs.ts";
import { startWorld, type World } from "../../world/world.ts";
import {
  edit,
  higherDensity,
  paths,
  readAt,
  reasonsAbout,
  removeAt,
  tellOnFailure,
  untilPoolRests,
  writesOf,
} from "./cluster.ts";

const worker = paths.pool("worker");
const swap = "90-worker-kubelet-swap";
let world: World;
let before: unknown;

beforeAll(async () => {
  world = await startWorld();
  await world.simulate("three-workers");
  await world.startOperator({ flags: ["--advertise-profiles=false"] });
});
afterEach(tellOnFailure(() => world));
afterEach(async () => {
  await world.configs.remove(higherDensity);
  await removeAt(world.server, paths.swap);
  await untilPoolRests(world.server, swap, false);
});
afterAll(() => world[Symbol.asyncDispose]());

const overcommit = async () =>
  at(await readAt(world.server, paths.hco), "spec", "higherWorkloadDensity", "memoryOvercommitPercentage");

/** The swap is being rolled out to a paused pool, and the next item waits for it. */
async function startAndWait(): Promise<void> {
  before = await overcommit();
  await edit(world.server, worker, { spec: { paused: true } });
  await world.configs.create(higherDensity, { action: "Apply" });
  await world.configs.until(higherDensity, ({ items = [] }) => items.some(({ message }) => /is paused/.test(message)));
}

test("Ignore stops a running plan at once: what is left of it is not applied, and the items are kept", async () => {
  const { configs, server } = world;
  await startAndWait();
  const writes = writesOf(server).length;
  await configs.edit(higherDensity, { action: "Ignore" });
  const ignored = await configs.until(higherDensity, "Ignored");
  expect(ignored.items?.map(({ state }) => state)).toEqual(["InProgress", "Pending"]);
  expect(ignored.executedGeneration).toBeUndefined();
  await edit(server, worker, { spec: { paused: false } });
  await untilPoolRests(server, swap, true);
  expect((await configs.status(higherDensity)).phase).toBe("Ignored");
  expect(writesOf(server).slice(writes)).toEqual([]);
  expect(await overcommit()).toBe(before);
  await expect.poll(() => reasonsAbout(server, higherDensity)).toContain("Ignored");
});

test("DryRun stops a running plan before the next item: the rest is on display, and runs when it is asked for", async () => {
  const { configs, server } = world;
  await startAndWait();
  const writes = writesOf(server).length;
  await configs.edit(higherDensity, { action: "DryRun" });
  const reviewed = await configs.until(higherDensity, "ReviewRequired");
  expect(reviewed.items?.map(({ state, changes }) => [state, changes])).toEqual([
    ["Pending", false],
    ["Pending", true],
  ]);
  await edit(server, worker, { spec: { paused: false } });
  await untilPoolRests(server, swap, true);
  expect((await configs.status(higherDensity)).phase).toBe("ReviewRequired");
  expect(writesOf(server).slice(writes)).toEqual([]);
  expect(await overcommit()).toBe(before);

  await configs.edit(higherDensity, { action: "Apply" });
  const completed = await configs.until(higherDensity, "Completed");
  expect(writesOf(server).slice(writes)).toEqual(["patch hyperconvergeds/kubevirt-hyperconverged"]);
  expect(itemOf(completed, "enable-kubelet-swap").state).toBe("Completed");
  expect(await overcommit()).toBe(150);
});
