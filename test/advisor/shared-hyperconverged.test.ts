// Two profiles write different fields of the HyperConverged.

import type { KubeObject } from "@virt/api";
import { asList, asText, at, type Json, member } from "@virt/objects";
import { expect, test } from "vitest";
import { edit, higherDensity, paths, readAt, writesOf } from "../support/advisor.ts";
import { createHco } from "../support/advisor-objects.ts";
import { useAdvisor } from "../support/advisor-suite.ts";

const liveMigration = "live-migration";
const density = { virtHigherDensity: { enableSwap: false, memoryToRequestRatio: 115, ksmConfiguration: {} } };
const limits = { liveMigration: { perCluster: 8, progressSeconds: 300 } };

const advisor = useAdvisor({
  moreCrds: ["migrationpolicies"],
  prepare: async ({ server }) => {
    await createHco(server, {});
  },
});

const hco = async () => (await readAt(advisor().server, paths.hco)) as KubeObject;
const spec = async (...path: readonly string[]) => at(await hco(), "spec", ...path);

/** Both profiles' values, read at once. */
const values = async () => {
  const object = await hco();
  const of = (...path: readonly string[]) => at(object, "spec", ...path) ?? null;
  return {
    overcommit: of("higherWorkloadDensity", "memoryOvercommitPercentage"),
    ksm: of("ksmConfiguration", "nodeLabelSelector"),
    perCluster: of("liveMigrationConfig", "parallelMigrationsPerCluster"),
    progress: of("liveMigrationConfig", "progressTimeout"),
  };
};

const planned = { overcommit: 115, ksm: {}, perCluster: 8, progress: 300 };

const appliers = async () =>
  asList((await hco()).metadata["managedFields"] as Json)
    .filter((entry) => member(entry, "operation") === "Apply")
    .flatMap((entry) => asText(member(entry, "manager")) ?? [])
    .toSorted();

test("a second profile keeps the fields of the first", async () => {
  const { configs, server } = advisor();
  await configs.complete(higherDensity, { options: density, bypassOptimisticLock: true });
  const { items } = await configs.draft(liveMigration, { options: limits, bypassOptimisticLock: true });
  expect(items?.[0]?.diff).not.toContain("memoryOvercommitPercentage");
  await configs.approve(liveMigration);
  expect(await values()).toEqual(planned);
  expect(await appliers()).toEqual(["virt-advisor-operator", "virt-advisor-operator-live-migration"]);
  expect(writesOf(server)).toEqual(Array.from({ length: 2 }, () => "patch hyperconvergeds/kubevirt-hyperconverged"));
});

test("another plan of the first profile keeps the fields of the second", async () => {
  const { configs } = advisor();
  const denser = { virtHigherDensity: { ...density.virtHigherDensity, memoryToRequestRatio: 118 } };
  await configs.edit(higherDensity, { options: denser });
  await configs.until(higherDensity, "Completed", 2);
  expect(await values()).toEqual({ ...planned, overcommit: 118 });
  await configs.edit(higherDensity, { options: density });
  await configs.until(higherDensity, "Completed", 3);
  expect(await values()).toEqual(planned);
});

test("a correction of drift keeps the fields of the other profile", async () => {
  const { server } = advisor();
  const writes = writesOf(server).length;
  await edit(server, paths.hco, { spec: { higherWorkloadDensity: { memoryOvercommitPercentage: 130 } } });
  await expect.poll(() => spec("higherWorkloadDensity", "memoryOvercommitPercentage")).toBe(115);
  expect(await values()).toEqual(planned);
  await edit(server, paths.hco, { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 3 } } });
  await expect.poll(() => spec("liveMigrationConfig", "parallelMigrationsPerCluster")).toBe(8);
  expect(await values()).toEqual(planned);
  await expect.poll(() => writesOf(server).length - writes).toBe(2);
});

test("removing one profile keeps the fields of the other", async () => {
  const { configs } = advisor();
  await configs.edit(liveMigration, { options: { liveMigration: { enabled: false } } });
  await expect.poll(appliers).toEqual(["virt-advisor-operator"]);
  expect(await values()).toEqual({ ...planned, perCluster: 5, progress: 150 });
  const { phase } = await configs.until(liveMigration, "Completed");
  expect(phase).toBe("Completed");
  expect((await configs.status(higherDensity)).phase).toBe("Completed");
});
