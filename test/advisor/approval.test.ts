import { conditionOf } from "@virt/advisor";
import type { Status } from "@virt/api";
import { isGoverning } from "@virt/cluster";
import { at } from "@virt/objects";
import { afterEach, expect, test } from "vitest";
import {
  edit,
  loadAware,
  paths,
  readAt,
  reasonsAbout,
  removeAt,
  runNextCommands,
  writesOf,
} from "../support/advisor.ts";
import { createDescheduler, createHco } from "../support/advisor-objects.ts";
import { deschedulerItem, useAdvisor, withoutPsi } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const otherHash = "0".repeat(64);

const advisor = useAdvisor();
afterEach(async () => {
  await advisor().configs.remove(loadAware);
  await removeAt(advisor().server, paths.descheduler);
});

const mode = async () => at(await readAt(advisor().server, paths.descheduler), "spec", "mode");

test("runs only the plan whose hash approvedPlan names", async () => {
  const { configs, server } = advisor();
  await configs.create(loadAware, { action: "Apply", options: withoutPsi, approvedPlan: otherHash });
  const held = await configs.until(loadAware, "ReviewRequired");
  expect(held.review).toEqual({ planHash: held.planHash, generation: 1, forced: true, reason: "ApprovalRequired" });
  const plan = held.planHash?.slice(0, 12);
  const why = `Plan ${plan} needs a new review: spec.approvedPlan names plan ${otherHash.slice(0, 12)}.`;
  expect(conditionOf(held, "ReviewRequired")?.message).toBe(why);
  expect(conditionOf(held, "Ready")).toMatchObject({ status: "False", reason: "ReviewRequired" });

  await configs.edit(loadAware, { approvedPlan: "1".repeat(64) });
  const stillHeld = await configs.until(loadAware, "ReviewRequired", 2);
  expect(stillHeld.planHash).toBe(held.planHash);
  expect(writesOf(server)).toEqual([]);

  await runNextCommands(server, stillHeld);
  const completed = await configs.until(loadAware, "Completed");
  expect(completed.planHash).toBe(held.planHash);
  expect(writesOf(server)).toEqual(["patch kubedeschedulers/cluster"]);
});

test("rejects an approval by hash for the plan of a changed target", async () => {
  const { configs, server } = advisor();
  const reviewed = await configs.draft(loadAware, { options: withoutPsi });
  await advisor().stop();
  await configs.edit(loadAware, { action: "Apply", approvedPlan: reviewed.planHash });
  await createDescheduler(server, { mode: "Predictive", profiles: ["LifecycleAndUtilization"] });
  const writes = writesOf(server).length;
  await advisor().start();
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

test("--require-approved-plan: an Apply without a hash waits, and reports the required hash", async () => {
  const { configs, server } = advisor();
  await advisor().stop();
  await advisor().start("--require-approved-plan");
  const writes = writesOf(server).length;
  await configs.create(loadAware, { action: "Apply", options: withoutPsi });
  const held = await configs.until(loadAware, "ReviewRequired");
  expect(held.review).toMatchObject({ forced: true, reason: "ApprovalRequired" });
  expect(conditionOf(held, "Ready")?.message).toContain(`"approvedPlan":"${held.planHash?.slice(0, 12)}"`);
  await configs.edit(loadAware, { action: "DryRun" });
  await configs.edit(loadAware, { action: "Apply" });
  const again = await configs.until(loadAware, "ReviewRequired", 3);
  expect(again.planHash).toBe(held.planHash);
  expect(writesOf(server).slice(writes)).toEqual([]);
  await expect(configs.edit(loadAware, { approvedPlan: held.planHash?.slice(0, 11) })).rejects.toThrow("approvedPlan");
  await configs.edit(loadAware, { approvedPlan: held.planHash?.slice(0, 12) });
  await configs.until(loadAware, "Completed");
  await advisor().stop();
  await advisor().start();
});

test("--require-approved-plan: an Apply without a hash does not govern, even if nothing changes", async () => {
  const { configs, server } = advisor();
  await configs.complete(loadAware, { options: withoutPsi });
  await configs.remove(loadAware);
  await advisor().stop();
  await advisor().start("--require-approved-plan");
  const completed = await configs.complete(loadAware, { options: withoutPsi });
  expect(completed.executedGeneration).toBeUndefined();
  const config = await readAt(server, paths.config(loadAware));
  expect(config && isGoverning(config as never)).toBe(false);

  await configs.edit(loadAware, { approvedPlan: completed.planHash });
  const governing = await configs.until(loadAware, ({ executedGeneration }) => executedGeneration !== undefined);
  expect(governing.phase).toBe("Completed");
  await advisor().stop();
  await advisor().start();
});

test("names both plans after an input change, and prints the command that approves", async () => {
  const { configs, server } = advisor();
  await createHco(server, { liveMigrationConfig: { parallelMigrationsPerCluster: 5 } });
  const first = await configs.draft(loadAware, { options: withoutPsi });
  await configs.approve(loadAware, { approvedPlan: first.planHash });
  await edit(server, paths.hco, { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 8 } } });
  const held = await configs.until(loadAware, "ReviewRequired");
  expect(held.review).toMatchObject({ forced: true, planHash: held.planHash });
  const [old = "", fresh = ""] = [first, held].map(({ planHash = "" }) => planHash.slice(0, 12));
  const readyText = (status: Status) => conditionOf(status, "Ready")?.message ?? "";
  const named = [
    `Plan ${fresh} needs a new review: `,
    `spec.approvedPlan names plan ${old}.`,
    "parallelMigrationsPerCluster",
  ];
  for (const part of named) expect(readyText(held)).toContain(part);

  await configs.edit(loadAware, { action: "DryRun" });
  expect(readyText(await configs.until(loadAware, "ReviewRequired", 3))).toContain(
    `spec.approvedPlan to '${held.planHash?.slice(0, 12)}'`,
  );
  await configs.edit(loadAware, { action: "Apply" });
  const said = readyText(await configs.until(loadAware, "ReviewRequired", 4));
  for (const part of named) expect(said).toContain(part);
  const [, name = "", body = ""] = /kubectl patch vpconf (\S+) --type=merge -p '(.*)'$/.exec(said) ?? [];
  expect((await server.kubectl("patch", "vpconf", name, "--type=merge", "-p", body)).code).toBe(0);
  await configs.until(loadAware, "Completed", 5);
  await removeAt(server, paths.hco);
});

test("bypassOptimisticLock: overwrites a target that changed before the approval", async () => {
  const { configs, server } = advisor();
  await configs.draft(loadAware, { options: withoutPsi, bypassOptimisticLock: true });
  await advisor().stop();
  await createDescheduler(server, { mode: "Predictive", profiles: ["LifecycleAndUtilization"] });
  await configs.edit(loadAware, { action: "Apply" });
  await advisor().start();
  const completed = await configs.until(loadAware, "Completed");
  expect(conditionOf(completed, "PlanStale")).toBeUndefined();
  expect(await mode()).toBe("Automatic");
});

test("bypassOptimisticLock: corrects the first drift at once, and reports a delay for the second", async () => {
  const { configs, server } = advisor();
  const applied = await configs.complete(loadAware, { options: withoutPsi, bypassOptimisticLock: true });
  await edit(server, paths.descheduler, { spec: { mode: "Predictive" } });
  const corrected = await configs.until(
    loadAware,
    (status) => status.phase === "Completed" && itemOf(status, deschedulerItem).corrections?.length === 1,
  );
  expect(await mode()).toBe("Automatic");
  expect(corrected.executedGeneration).toBe(applied.executedGeneration);
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("DriftCorrected");

  const writes = writesOf(server).length;
  await edit(server, paths.descheduler, { spec: { mode: "Predictive" } });
  const drifted = await configs.until(loadAware, "Drifted");
  expect(conditionOf(drifted, "Reconciling")).toMatchObject({ status: "True", reason: "Correcting" });
  expect(conditionOf(drifted, "Stalled")?.status).toBe("False");
  await edit(server, paths.descheduler, { metadata: { labels: { "reconcile-me": "again" } } });
  expect(writesOf(server).slice(writes)).toEqual([]);
  expect(await mode()).toBe("Predictive");
  await edit(server, paths.descheduler, { spec: { mode: "Automatic" } });
  const cleared = await configs.until(loadAware, "Completed");
  expect(conditionOf(cleared, "Reconciling")?.status).toBe("False");
});
