import { afterEach, expect, test } from "vitest";
import { higherDensity, paths, reasonsAbout, removeAt, untilPoolRests, writesOf } from "../support/advisor.ts";
import { applyToPausedPool, overcommitOf, swapItem, unpauseWorkers, useAdvisor } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const swap = "90-worker-kubelet-swap";
let before: unknown;

const advisor = useAdvisor({ scenario: "no-vms" });
afterEach(async () => {
  await advisor().configs.remove(higherDensity);
  await removeAt(advisor().server, paths.swap);
  await untilPoolRests(advisor().server, swap, false);
});

async function startAndWait(): Promise<void> {
  before = await overcommitOf(advisor().server);
  await applyToPausedPool(advisor(), higherDensity);
}

test("Ignore stops a running plan at once, and keeps its items in the status", async () => {
  const { configs, server } = advisor();
  await startAndWait();
  const writes = writesOf(server).length;
  await configs.edit(higherDensity, { action: "Ignore" });
  const ignored = await configs.until(higherDensity, "Ignored");
  expect(ignored.items?.map(({ state }) => state)).toEqual(["InProgress", "Pending"]);
  expect(ignored.executedGeneration).toBeUndefined();
  await unpauseWorkers(server);
  await untilPoolRests(server, swap, true);
  expect((await configs.status(higherDensity)).phase).toBe("Ignored");
  expect(writesOf(server).slice(writes)).toEqual([]);
  expect(await overcommitOf(server)).toBe(before);
  await expect.poll(() => reasonsAbout(server, higherDensity)).toContain("Ignored");
});

test("DryRun stops a running plan before the next item, which runs after approval", async () => {
  const { configs, server } = advisor();
  await startAndWait();
  const writes = writesOf(server).length;
  await configs.edit(higherDensity, { action: "DryRun" });
  const reviewed = await configs.until(higherDensity, "ReviewRequired");
  expect(reviewed.items?.map(({ state, changes }) => [state, changes])).toEqual([
    ["Pending", false],
    ["Pending", true],
  ]);
  await unpauseWorkers(server);
  await untilPoolRests(server, swap, true);
  expect((await configs.status(higherDensity)).phase).toBe("ReviewRequired");
  expect(writesOf(server).slice(writes)).toEqual([]);
  expect(await overcommitOf(server)).toBe(before);

  const completed = await configs.approve(higherDensity);
  expect(writesOf(server).slice(writes)).toEqual(["patch hyperconvergeds/kubevirt-hyperconverged"]);
  expect(itemOf(completed, swapItem).state).toBe("Completed");
  expect(await overcommitOf(server)).toBe(150);
});
