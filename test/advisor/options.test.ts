import { readFileSync } from "node:fs";
import type { Phase, Status } from "@virt/api";
import { at } from "@virt/objects";
import type { Crd } from "@virt/testkit";
import { load } from "js-yaml";
import { afterEach, expect, test } from "vitest";
import { edit, loadAware, paths, readAt, writesOf } from "../support/advisor.ts";
import {
  deschedulerItem,
  pauseWorkers,
  psiItem,
  removeLoadAware,
  unpauseWorkers,
  useAdvisor,
  withoutPsi,
} from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";
import { mockCrd } from "../support/test-cluster.ts";

const deschedulers = mockCrd("kubedeschedulers-v532");

const advisor = useAdvisor({ scenario: "no-vms" });
afterEach(async () => {
  await removeLoadAware(advisor());
  await edit(advisor().server, paths.hco, { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 5 } } });
});

/** The value that the edit requests in every phase. Only the plan distinguishes it from the earlier one. */
const wanted = 300;
const edited = { options: { loadAware: { deschedulingIntervalSeconds: wanted } } };
const plannedInterval = (status: Status) =>
  at(status.items?.find(({ name }) => name === deschedulerItem)?.desiredState, "spec", "deschedulingIntervalSeconds");
const liveInterval = async () =>
  at(await readAt(advisor().server, paths.descheduler), "spec", "deschedulingIntervalSeconds");
const pause = () => pauseWorkers(advisor().server);
const unpause = () => unpauseWorkers(advisor().server);

test("Ignored: edited options apply only after the config is managed", async () => {
  const { configs } = advisor();
  await configs.create(loadAware, { action: "Ignore", options: withoutPsi });
  await configs.until(loadAware, "Ignored");
  await configs.edit(loadAware, edited);
  const ignored = await configs.until(loadAware, "Ignored", 2);
  expect([ignored.phase, ignored.items]).toEqual(["Ignored", undefined]);
  expect(await liveInterval()).toBeUndefined();
  await configs.approve(loadAware);
  expect(await liveInterval()).toBe(wanted);
});

test("PrerequisiteFailed: the later plan uses the edited options", async () => {
  const { configs, server } = advisor();
  await server.removeCrd(load(readFileSync(deschedulers, "utf8")) as Crd);
  await configs.create(loadAware, { action: "DryRun", options: withoutPsi });
  await configs.until(loadAware, "PrerequisiteFailed");
  await configs.edit(loadAware, edited);
  await configs.until(loadAware, "PrerequisiteFailed", 2);
  await server.installCrds([deschedulers]);
  expect(plannedInterval(await configs.until(loadAware, "ReviewRequired"))).toBe(wanted);
});

test("ReviewRequired: edited options show a new plan and write nothing", async () => {
  const { configs } = advisor();
  const before = await configs.draft(loadAware);
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
  const { configs } = advisor();
  await configs.draft(loadAware, { options: withoutPsi });
  await configs.approve(loadAware, edited);
  expect(await liveInterval()).toBe(wanted);
});

test("InProgress: redrafts the plan, continues it, and keeps the rollout's start time", async () => {
  const { configs, server } = advisor();
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
      itemOf(status, deschedulerItem).appliedTime !== undefined &&
      plannedInterval(status) === wanted,
  );
  expect(await liveInterval()).toBe(wanted);
  expect(itemOf(again, psiItem).rollout?.startTime).toBe(itemOf(running, psiItem).rollout?.startTime);
  expect(writesOf(server).slice(writes)).toEqual(["patch kubedeschedulers/cluster"]);
  await unpause();
  await configs.until(loadAware, "Completed");
});

type EndedPlan = { readonly phase: Phase; readonly reach: () => Promise<unknown> };

const ended: readonly EndedPlan[] = [
  {
    phase: "Completed",
    reach: () => advisor().configs.create(loadAware, { action: "Apply", options: withoutPsi }),
  },
  {
    phase: "Drifted",
    reach: async () => {
      await advisor().configs.complete(loadAware, { options: withoutPsi });
      await edit(advisor().server, paths.descheduler, { spec: { mode: "Predictive" } });
    },
  },
  {
    phase: "Failed",
    reach: async () => {
      await pause();
      await advisor().configs.create(loadAware, { action: "Apply", waitTimeout: "1s" });
      await advisor().configs.until(loadAware, "Failed");
      await unpause();
    },
  },
  {
    phase: "CompletedWithErrors",
    reach: async () => {
      await pause();
      await advisor().configs.create(loadAware, { action: "Apply", waitTimeout: "1s", failurePolicy: "Continue" });
    },
  },
];

test.each(ended)("$phase: an Apply with other options drafts and runs the new plan", async ({ phase, reach }) => {
  const { configs } = advisor();
  await reach();
  await configs.until(loadAware, phase);
  await unpause();
  await configs.edit(loadAware, { ...edited, waitTimeout: "1h" });
  const completed = await configs.until(
    loadAware,
    (status) => status.phase === "Completed" && plannedInterval(status) === wanted,
  );
  expect(completed.executedGeneration).toBe(2);
  expect(await readAt(advisor().server, paths.descheduler)).toMatchObject({
    spec: { deschedulingIntervalSeconds: wanted, mode: "Automatic" },
  });
});

test.each(ended)(
  "$phase: a DryRun with other options shows the new plan and writes nothing",
  async ({ phase, reach }) => {
    const { configs, server } = advisor();
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
  const { configs, server } = advisor();
  await configs.complete(loadAware, { options: withoutPsi });
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
  const completed = await configs.reapprove(loadAware);
  expect(completed.planHash).toBe(shown.planHash);
  expect(await liveInterval()).toBe(wanted);
});
