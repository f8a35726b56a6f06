import { conditionOf } from "@virt/advisor";
import type { JsonMap, Status } from "@virt/api";
import { at } from "@virt/objects";
import { expect, test } from "vitest";
import { edit, higherDensity, loadAware, paths, readAt, reasonsAbout, writesOf } from "../support/advisor.ts";
import { densityItem, deschedulerItem, useAdvisor, withoutPsi } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const advisor = useAdvisor({ scenario: "no-vms" });

const migrations = (values: object) => edit(advisor().server, paths.hco, { spec: { liveMigrationConfig: values } });
const density = (percent: number) =>
  edit(advisor().server, paths.hco, { spec: { higherWorkloadDensity: { memoryOvercommitPercentage: percent } } });
const marked = (status: Status) => conditionOf(status, "InputDependencyDrift");

test("an input change after completion forces a review, which reverting the change resolves", async () => {
  const { configs, server } = advisor();
  await migrations({ parallelMigrationsPerCluster: 5, parallelOutboundMigrationsPerNode: 2 });
  const applied = await configs.complete(loadAware, { options: withoutPsi });
  const writes = writesOf(server).length;

  await migrations({ parallelMigrationsPerCluster: 20 });
  const forced = await configs.until(loadAware, "ReviewRequired");
  expect(marked(forced)).toMatchObject({
    status: "True",
    reason: "InputChanged",
    message: "Input dependency changed: HCO parallelMigrationsPerCluster changed (scaled 5 -> 18)",
  });
  expect(forced.review).toEqual({ planHash: forced.planHash, generation: 1, forced: true, reason: "InputChanged" });
  expect(itemOf(forced, deschedulerItem).diff).toContain("+    total: 18");

  await migrations({ parallelMigrationsPerCluster: 5 });
  const resolved = await configs.until(loadAware, "Completed");
  expect(marked(resolved)).toMatchObject({
    status: "False",
    reason: "DriftResolved",
    message: "Input dependency drift resolved - external changes reverted",
  });
  expect(resolved.executedGeneration).toBe(applied.executedGeneration);
  expect(writesOf(server).slice(writes)).toEqual([]);
  await expect
    .poll(() => reasonsAbout(server, loadAware))
    .toEqual(expect.arrayContaining(["InputDependencyChanged", "ReviewForced", "InputDependencyResolved"]));
});

test("applies a changed input after the user reviews and approves the plan", async () => {
  const { configs, server } = advisor();
  await migrations({ parallelMigrationsPerCluster: 10 });
  const forced = await configs.until(loadAware, "ReviewRequired");
  const completed = await configs.reapprove(loadAware);
  expect(completed.planHash).toBe(forced.planHash);
  expect(marked(completed)).toMatchObject({
    status: "False",
    reason: "Acknowledged",
    message: "User acknowledged input dependency change",
  });
  expect(at(await readAt(server, paths.descheduler), "spec", "evictionLimits", "total")).toBe(10);
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("InputDependencyAcknowledged");
});

test("an option replaces its input, and a manual edit is drift, not input change", async () => {
  const { configs, server } = advisor();
  await configs.edit(loadAware, { options: { loadAware: { evictionLimitTotal: 7 } } });
  await configs.until(loadAware, "Completed", 4);
  await migrations({ parallelMigrationsPerCluster: 30, parallelOutboundMigrationsPerNode: 3 });
  const forced = await configs.until(loadAware, "ReviewRequired");
  expect(marked(forced)?.message).toBe(
    "Input dependency changed: HCO parallelOutboundMigrationsPerNode changed (scaled 2 -> 3)",
  );
  const completed = await configs.reapprove(loadAware);
  expect(completed.inputs?.map(({ name }) => name)).toEqual([
    "deschedulerCapability",
    "parallelOutboundMigrationsPerNode",
    "devLowNodeUtilizationThresholds",
  ]);

  await edit(server, paths.descheduler, { spec: { evictionLimits: { node: 9 } } });
  const drifted = await configs.until(loadAware, "Drifted");
  expect(marked(drifted)?.status).toBe("False");
  expect(itemOf(drifted, deschedulerItem).message).toBe(
    "Configuration has drifted from desired state: spec.evictionLimits.node (3 -> 9), by unknown",
  );
  await configs.remove(loadAware);
});

const moves: readonly {
  readonly what: string;
  readonly change: JsonMap;
  readonly back: JsonMap;
  readonly said: string;
}[] = [
  {
    what: "the ratio",
    change: { higherWorkloadDensity: { memoryOvercommitPercentage: 130 } },
    back: { higherWorkloadDensity: { memoryOvercommitPercentage: 150 } },
    said: "HCO memoryOvercommitPercentage changed (150 -> 130)",
  },
  {
    what: "KSM",
    change: { ksmConfiguration: null },
    back: { ksmConfiguration: { nodeLabelSelector: {} } },
    said: "HCO KSM configuration changed (was true, now false)",
  },
];

test("higher density: without options, both written values are inputs", async () => {
  const { inputs } = await advisor().configs.complete(higherDensity);
  expect(inputs?.map(({ name, applied }) => `${name}: ${applied}`)).toEqual([
    "ksmConfiguration: {}",
    "memoryOvercommitPercentage: 150",
  ]);
});

test.each(moves)(
  "higher density: a change of $what forces a review if no option sets it",
  async ({ change, back, said }) => {
    const { configs, server } = advisor();
    const writes = writesOf(server).length;
    await edit(server, paths.hco, { spec: change });
    const forced = await configs.until(higherDensity, "ReviewRequired");
    expect(marked(forced)).toMatchObject({ status: "True", message: `Input dependency changed: ${said}` });
    await edit(server, paths.hco, { spec: back });
    const resolved = await configs.until(higherDensity, "Completed");
    expect(marked(resolved)).toMatchObject({ status: "False", reason: "DriftResolved" });
    expect(writesOf(server).slice(writes)).toEqual([]);
  },
);

test("higher density: a change of a value set by options is drift", async () => {
  const { configs, server } = advisor();
  const options = { virtHigherDensity: { memoryToRequestRatio: 150, ksmConfiguration: { enabled: true } } };
  await configs.edit(higherDensity, { options });
  const pinned = await configs.until(higherDensity, "Completed", 2);
  expect(pinned.inputs ?? []).toEqual([]);
  await density(130);
  await edit(server, paths.hco, { spec: { ksmConfiguration: { nodeLabelSelector: { matchLabels: { zone: "a" } } } } });
  const drifted = await configs.until(
    higherDensity,
    (status) => status.phase === "Drifted" && itemOf(status, densityItem).message.includes("ksm"),
  );
  expect(itemOf(drifted, densityItem).message).toContain(
    "spec.higherWorkloadDensity.memoryOvercommitPercentage (150 -> 130)",
  );
  expect(marked(drifted)?.status).toBe("False");
  await density(150);
  await edit(server, paths.hco, { spec: { ksmConfiguration: { nodeLabelSelector: { matchLabels: null } } } });
  await configs.until(higherDensity, "Completed");
  await configs.remove(higherDensity);
});
