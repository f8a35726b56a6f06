import { conditionOf } from "@virt/advisor";
import { expect, test } from "vitest";
import { edit, eventsAbout, loadAware, paths, runNextCommands } from "../support/advisor.ts";
import { useAdvisor } from "../support/advisor-suite.ts";

const advisor = useAdvisor({ scenario: "no-vms" });

const interval = (deschedulingIntervalSeconds: number) => ({
  loadAware: { deschedulingIntervalSeconds, enablePSIMetrics: false },
});

async function run(seconds: number): Promise<string> {
  const { configs } = advisor();
  await configs.edit(loadAware, { action: "Apply", options: interval(seconds) });
  const { planHash = "" } = await configs.until(
    loadAware,
    ({ phase, appliedOptions }) =>
      phase === "Completed" && appliedOptions?.["loadAware"]?.["deschedulingIntervalSeconds"] === seconds,
  );
  return planHash.slice(0, 12);
}

test("repeated runs of the same plan have separate events", async () => {
  const { configs, server } = advisor();
  await configs.draft(loadAware, { options: interval(60) });
  await run(500);
  await run(501);
  await run(500);
  await run(501);
  await expect
    .poll(async () => (await eventsAbout(server, loadAware)).filter(({ reason }) => reason === "ItemApplied").length)
    .toBe(4);
});

test("reports each of ten runs in separate events, and later drift and reviews too", async () => {
  const { configs, server } = advisor();
  const hashes: string[] = [];
  for (let at = 0; at < 10; at++) hashes.push(await run(100 + at));
  const notesOf = async (reason: string) =>
    (await eventsAbout(server, loadAware)).filter((event) => event.reason === reason).map(({ note }) => note);
  for (const reason of ["PlanApproved", "ItemApplied", "PlanCompleted"]) {
    const reportedPlans = async () =>
      (await notesOf(reason)).map((note) => /\b[Pp]lan ([0-9a-f]{12})\b/.exec(note)?.[1]);
    await expect.poll(async () => (await reportedPlans()).slice(-hashes.length)).toEqual(hashes);
  }

  await edit(server, paths.descheduler, { spec: { deschedulingIntervalSeconds: 7 } });
  await configs.until(loadAware, "Drifted");
  await expect
    .poll(() => notesOf("DriftDetected"))
    .toEqual([
      expect.stringMatching(/ KubeDescheduler 'cluster': spec\.deschedulingIntervalSeconds \(109 -> 7\), by \S/),
    ]);
  await edit(server, paths.descheduler, { spec: { deschedulingIntervalSeconds: 109 } });
  await configs.until(loadAware, "Completed");
  await edit(server, paths.hco, { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 4 } } });
  const waiting = await configs.until(loadAware, "ReviewRequired");
  const said = conditionOf(waiting, "Ready")?.message ?? "";
  expect(said).toMatch(
    /^Plan [0-9a-f]{12} needs a new review: HyperConverged parallelMigrationsPerCluster changed \d+ → 4\. Next: review status\.items, then run: kubectl patch /,
  );
  await expect
    .poll(() => eventsAbout(server, loadAware))
    .toContainEqual(expect.objectContaining({ reason: "ReviewForced", note: said }));
  await runNextCommands(server, waiting);
  await configs.until(loadAware, "Completed");
});
