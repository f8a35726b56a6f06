import { at } from "@virt/objects";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  edit,
  higherDensity,
  paths,
  printRequestsOnFailure,
  readAt,
  reasonsAbout,
  removeAt,
  untilPoolRests,
  writesOf,
} from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const worker = paths.pool("worker");
const swap = "90-worker-kubelet-swap";
let testCluster: TestCluster;
let before: unknown;

beforeAll(async () => {
  testCluster = await startTestCluster();
  await testCluster.simulate("no-vms");
  await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  await testCluster.configs.remove(higherDensity);
  await removeAt(testCluster.server, paths.swap);
  await untilPoolRests(testCluster.server, swap, false);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const overcommit = async () =>
  at(await readAt(testCluster.server, paths.hco), "spec", "higherWorkloadDensity", "memoryOvercommitPercentage");

async function startAndWait(): Promise<void> {
  before = await overcommit();
  await edit(testCluster.server, worker, { spec: { paused: true } });
  await testCluster.configs.create(higherDensity, { action: "Apply" });
  await testCluster.configs.until(higherDensity, ({ items = [] }) =>
    items.some(({ message }) => /is paused/.test(message)),
  );
}

test("Ignore stops a running plan at once, and keeps its items in the status", async () => {
  const { configs, server } = testCluster;
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

test("DryRun stops a running plan before the next item, which runs after approval", async () => {
  const { configs, server } = testCluster;
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
