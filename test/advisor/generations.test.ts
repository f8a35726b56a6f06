import { readFileSync } from "node:fs";
import { conditionOf } from "@virt/advisor";
import type { JsonMap } from "@virt/api";
import { at } from "@virt/objects";
import type { Crd, Server } from "@virt/testkit";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { edit, higherDensity, loadAware, paths, readAt, writesOf } from "../support/advisor.ts";
import { applyDescheduler } from "../support/advisor-objects.ts";
import { densityItem, deschedulerItem, startAdvisor, withoutPsi } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";
import { mockCrd } from "../support/test-cluster.ts";

const generations: readonly { readonly file: string; readonly spec: JsonMap; readonly reports?: string }[] = [
  { file: "kubedeschedulers-v510", spec: { profiles: ["LongLifecycle"] } },
  {
    file: "kubedeschedulers-v514",
    spec: {
      profiles: ["DevKubeVirtRelieveAndMigrate"],
      profileCustomizations: {
        devEnableEvictionsInBackground: true,
        devEnableSoftTainter: true,
        devDeviationThresholds: "AsymmetricLow",
      },
      evictionLimits: { total: 5 },
    },
    reports: "LongLifecycle -> DevKubeVirtRelieveAndMigrate+softTainter",
  },
  {
    file: "kubedeschedulers-v521",
    spec: {
      profiles: ["DevKubeVirtRelieveAndMigrate"],
      profileCustomizations: { devEnableEvictionsInBackground: true, devDeviationThresholds: "AsymmetricLow" },
      evictionLimits: { total: 5 },
    },
    reports: "DevKubeVirtRelieveAndMigrate+softTainter -> DevKubeVirtRelieveAndMigrate",
  },
  {
    file: "kubedeschedulers-v532",
    spec: {
      profiles: ["KubeVirtRelieveAndMigrate"],
      profileCustomizations: { devEnableEvictionsInBackground: true, devDeviationThresholds: "AsymmetricLow" },
      evictionLimits: { total: 5, node: 2 },
    },
    reports: "DevKubeVirtRelieveAndMigrate -> KubeVirtRelieveAndMigrate+node",
  },
];

/** The log levels are the API server's defaults. */
const usual = {
  logLevel: "Normal",
  operatorLogLevel: "Normal",
  managementState: "Managed",
  deschedulingIntervalSeconds: 60,
  mode: "Automatic",
};

test("plans for each descheduler generation, and requires a review after its upgrade", async () => {
  const [oldest, ...newer] = generations;
  await using advisor = await startAdvisor({ crds: { kubedeschedulers: oldest?.file ?? null } });
  const { configs, server } = advisor;
  await configs.complete(loadAware, { options: withoutPsi });
  expect((await readAt(server, paths.descheduler))?.["spec"]).toEqual({ ...usual, ...oldest?.spec });

  for (const { file, spec, reports } of newer) {
    const writes = writesOf(server).length;
    await server.installCrds([mockCrd(file)]);
    const forced = await configs.until(loadAware, "ReviewRequired");
    expect(forced.review).toMatchObject({ forced: true, reason: "InputChanged" });
    expect(conditionOf(forced, "InputDependencyDrift")?.message).toBe(
      `Input dependency changed: KubeDescheduler capability changed (${reports})`,
    );
    expect(writesOf(server).slice(writes)).toEqual([]);
    await configs.reapprove(loadAware);
    expect((await readAt(server, paths.descheduler))?.["spec"]).toEqual({ ...usual, ...spec });
  }
});

test("a new CRD default in a managed field does not make the plan stale", async () => {
  await using advisor = await startAdvisor();
  const { configs, server } = advisor;
  await configs.complete(loadAware, { options: withoutPsi });
  const added = '"devEnableEvictionsInBackground":{';
  const newer = JSON.stringify(load(readFileSync(mockCrd("kubedeschedulers-v532"), "utf8")));
  const crd = newer.replace(added, `"addedLater":{"type":"string","default":"x"},${added}`);
  await server.installCrds([JSON.parse(crd) as Crd]);
  await expect
    .poll(async () => at(await readAt(server, paths.descheduler), "spec", "profileCustomizations", "addedLater"))
    .toBe("x");

  await configs.edit(loadAware, { action: "DryRun", options: { loadAware: { deschedulingIntervalSeconds: 300 } } });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  await configs.edit(loadAware, { action: "Apply" });
  const ended = await configs.until(
    loadAware,
    ({ phase, review }) => phase === "Completed" || review?.reason === "PlanStale",
  );
  expect([ended.phase, ended.planHash]).toEqual(["Completed", reviewed.planHash]);
});

const rivalThresholds = "devLowNodeUtilizationThresholds";

/** The CRD of OpenShift 4.17 adds a default to each map of customizations, which is stored without an owner. */
async function storeDefaultThresholds(server: Server): Promise<void> {
  const spec = { managementState: "Managed", profileCustomizations: { podLifetime: "48h" } };
  const stored = await applyDescheduler(server, "gitops", spec);
  expect(at(stored, "spec", "profileCustomizations")).toEqual({ podLifetime: "48h", [rivalThresholds]: "Medium" });
  expect(JSON.stringify(stored.metadata["managedFields"])).not.toContain(rivalThresholds);
}

test("reports stored thresholds without an owner as a conflict after a descheduler upgrade", async () => {
  await using advisor = await startAdvisor({
    crds: { kubedeschedulers: "kubedeschedulers-v510" },
    startsLater: true,
  });
  const { configs, server } = advisor;
  await storeDefaultThresholds(server);
  await advisor.start();
  await configs.complete(loadAware, { options: withoutPsi });
  await server.installCrds([mockCrd("kubedeschedulers-v532")]);
  const forced = await configs.until(loadAware, "ReviewRequired");
  const { warnings = [], desiredState } = itemOf(forced, deschedulerItem);
  expect(warnings).toContainEqual(
    expect.stringContaining(`spec.profileCustomizations.${rivalThresholds} is "Medium", owner unknown`),
  );
  expect(at(desiredState, "spec", "profileCustomizations")).toEqual({ devEnableEvictionsInBackground: true });

  const completed = await configs.reapprove(loadAware);
  expect(completed.inputs?.find(({ name }) => name === rivalThresholds)?.applied).toBe("Medium");
  const applied = at(await readAt(server, paths.descheduler), "spec", "profileCustomizations");
  expect(applied).toEqual({ devEnableEvictionsInBackground: true, podLifetime: "48h", [rivalThresholds]: "Medium" });

  await edit(server, paths.descheduler, { spec: { profileCustomizations: { [rivalThresholds]: null } } });
  const replaced = await configs.until(loadAware, "ReviewRequired");
  expect(conditionOf(replaced, "InputDependencyDrift")?.message).toBe(
    `Input dependency changed: KubeDescheduler ${rivalThresholds} changed (Medium -> absent)`,
  );
  expect(itemOf(replaced, deschedulerItem).diff).toContain("+    devDeviationThresholds: AsymmetricLow");
});

test("reads and writes the fields of a v1 HyperConverged at their v1 paths", async () => {
  await using advisor = await startAdvisor({ crds: { hyperconvergeds: "hyperconvergeds-v1" }, scenario: "no-vms" });
  const { configs, server } = advisor;
  const hco = paths.hco.replace("v1beta1", "v1");
  const dense = await configs.complete(higherDensity);
  expect(itemOf(dense, densityItem).targetRef.apiVersion).toBe("hco.kubevirt.io/v1");
  expect(at(await readAt(server, hco), "spec", "virtualization")).toMatchObject({
    higherWorkloadDensity: { memoryOvercommitPercentage: 150 },
    ksmConfiguration: { nodeLabelSelector: {} },
  });

  await edit(server, hco, { spec: { virtualization: { liveMigrationConfig: { parallelMigrationsPerCluster: 5 } } } });
  await configs.complete(loadAware, { options: withoutPsi });
  await edit(server, hco, { spec: { virtualization: { liveMigrationConfig: { parallelMigrationsPerCluster: 20 } } } });
  const forced = await configs.until(loadAware, "ReviewRequired");
  expect(conditionOf(forced, "InputDependencyDrift")?.message).toBe(
    "Input dependency changed: HCO parallelMigrationsPerCluster changed (scaled 5 -> 18)",
  );
});
