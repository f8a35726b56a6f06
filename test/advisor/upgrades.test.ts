import { conditionOf } from "@virt/advisor";
import type { Item, JsonMap, Status } from "@virt/api";
import { afterEach, expect, test } from "vitest";
import { edit, loadAware, paths, reasonsAbout, removeAt, writesOf } from "../support/advisor.ts";
import { deschedulerItem, useAdvisor, withoutPsi } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const older = "v0.0.1";
let version: string;
const advisor = useAdvisor();
afterEach(async () => {
  await advisor().configs.remove(loadAware);
  await removeAt(advisor().server, paths.descheduler);
});

async function completedBy(
  oldVersion: string,
  change: (planned: Item) => Item = (planned) => planned,
): Promise<Status> {
  const { configs, server } = advisor();
  const completed = await configs.complete(loadAware, { options: withoutPsi });
  version = completed.operatorVersion ?? "";
  await advisor().stop();
  const items = completed.items?.map(change);
  await edit(server, `${paths.config(loadAware)}/status`, { status: { operatorVersion: oldVersion, items } });
  return completed;
}

const specOf = ({ desiredState }: Item) => (desiredState?.["spec"] ?? {}) as JsonMap;
const withSpec = (planned: Item, spec: JsonMap) =>
  ({ ...planned, desiredState: { ...planned.desiredState, spec } }) as Item;

const otherwise = (planned: Item) => withSpec(planned, { ...specOf(planned), deschedulingIntervalSeconds: 90 });

test("a new version with the same plan changes only the version in the status", async () => {
  const { configs, server } = advisor();
  const completed = await completedBy(older);
  const writes = writesOf(server).length;
  await advisor().start();
  const after = await configs.until(loadAware, ({ operatorVersion }) => operatorVersion === version);
  expect(after).toEqual(completed);
  expect(writesOf(server).slice(writes)).toEqual([]);
});

test("a new version with another plan keeps the applied one until a review", async () => {
  const { configs, server } = advisor();
  await completedBy(older, otherwise);
  await edit(server, paths.descheduler, { spec: { deschedulingIntervalSeconds: 90 } });
  const writes = writesOf(server).length;
  await advisor().start();
  const announced = await configs.until(loadAware, "CompletedWithUpgrade");
  expect(conditionOf(announced, "CompletedWithUpgrade")?.message).toBe(
    `Operator upgraded from ${older} to ${version} - profile logic changes detected`,
  );
  expect(conditionOf(announced, "UpgradeAvailable")).toMatchObject({
    status: "True",
    reason: "LogicChanged",
    message: `Operator upgraded from ${older} to ${version} with profile logic changes. Regenerate plan (action=DryRun) to review proposed changes.`,
  });
  expect(conditionOf(announced, "Ready")).toMatchObject({ status: "True", reason: "UpgradeAvailable" });
  expect(announced.operatorVersion).toBe(older);
  expect(announced.review).toMatchObject({ forced: true, reason: "OperatorUpgraded" });
  expect(writesOf(server).slice(writes)).toEqual([]);
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("UpgradeAvailable");

  await configs.edit(loadAware, { action: "DryRun" });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(itemOf(reviewed, deschedulerItem).diff).toContain("+  deschedulingIntervalSeconds: 60");
  const adopted = await configs.approve(loadAware);
  expect(adopted.operatorVersion).toBe(version);
  expect(conditionOf(adopted, "UpgradeAvailable")).toMatchObject({ status: "False", reason: "Applied" });
});

test("an edit with Apply does not run a new version's unreviewed plan", async () => {
  const { configs, server } = advisor();
  await completedBy(older, otherwise);
  await edit(server, paths.descheduler, { spec: { deschedulingIntervalSeconds: 90 } });
  const writes = writesOf(server).length;
  await advisor().start();
  await configs.until(loadAware, "CompletedWithUpgrade");
  await configs.edit(loadAware, { waitTimeout: "1h" });
  const shown = await configs.until(loadAware, "ReviewRequired");
  expect(shown.review).toMatchObject({ planHash: shown.planHash, forced: true });
  expect(writesOf(server).slice(writes)).toEqual([]);
});

test("applying a new version's changes manually resolves the upgrade", async () => {
  const { configs, server } = advisor();
  const lessManaged = (planned: Item) => {
    const { mode: _mode, ...spec } = specOf(planned);
    return withSpec(planned, spec);
  };
  await completedBy(older, lessManaged);
  await edit(server, paths.descheduler, { spec: { mode: "Predictive" } });
  await advisor().start();
  await configs.until(loadAware, "CompletedWithUpgrade");
  const writes = writesOf(server).length;
  await edit(server, paths.descheduler, { spec: { mode: "Automatic" } });
  const aligned = await configs.until(loadAware, "Completed");
  expect(conditionOf(aligned, "UpgradeAvailable")).toMatchObject({
    status: "False",
    reason: "ManuallyAligned",
    message: "Cluster manually aligned with new operator logic - upgrade no longer needed",
  });
  expect(aligned.operatorVersion).toBe(version);
  expect(writesOf(server).slice(writes)).toEqual([]);
});
