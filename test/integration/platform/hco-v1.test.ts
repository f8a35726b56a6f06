import { at, type Json } from "@virt/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTwoVersions, type TwoVersions } from "./hco-versions.ts";

let site: TwoVersions;
beforeAll(async () => {
  site = await startTwoVersions("both");
  // As whoever installed it wrote it before v1 came, and a person since.
  await site.create("v1beta1", { liveMigrationConfig: { parallelMigrationsPerCluster: 20 } });
  await site.edit("v1", { spec: { virtualization: { liveMigrationConfig: { allowPostCopy: true } } } });
  await site.world.startOperator({ flags: ["--activation=always"] });
  await site.untilManaged("v1");
});
afterAll(() => site[Symbol.asyncDispose]());

const migration = async (field: string): Promise<Json | undefined> =>
  at(await site.read("v1"), "spec", "virtualization", "liveMigrationConfig", field);
const strategy = async () => at(await site.read("v1"), "spec", "deployment", "uninstallStrategy");

test("the golden objects appear where the HyperConverged is served in v1", async () => {
  const path = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs";
  await site.until(async () => {
    const { items } = (await site.world.server.request({ path })).body as { items: readonly Json[] };
    expect(items).toHaveLength(1);
  });
});

test("what was set through v1beta1 is not seized in v1, nor is what was set through v1", async () => {
  expect(await migration("parallelMigrationsPerCluster")).toBe(20);
  expect(await migration("allowPostCopy")).toBe(true);
  await site.until(async () => {
    const told = (await site.events("Contested")).join("\n");
    const parallel = "/spec/virtualization/liveMigrationConfig/parallelMigrationsPerCluster (installer)";
    expect(told).toContain(parallel);
    expect(told).toContain("/spec/virtualization/liveMigrationConfig/allowPostCopy (kubectl-edit)");
  });
});

test("a drift is corrected, through whichever version it was made", async () => {
  await site.edit("v1", { spec: { deployment: { uninstallStrategy: "RemoveWorkloads" } } });
  await site.until(async () => expect(await strategy()).toBe("BlockUninstallIfWorkloadsExist"));
  await site.edit("v1beta1", { spec: { uninstallStrategy: "RemoveWorkloads" } });
  await site.until(async () => expect(await strategy()).toBe("BlockUninstallIfWorkloadsExist"));
  expect(await migration("parallelMigrationsPerCluster")).toBe(20);
});

test("a field that is let go in v1beta1 terms keeps its value, and is taken back when nobody asks for that any more", async () => {
  const say = (value: string | null) =>
    site.edit("v1", { metadata: { annotations: { "platform.kubevirt.io/ignore-fields": value } } });
  await say("/spec/uninstallStrategy");
  await site.until(async () => expect(await site.managers("v1")).toContain("virt-platform-operator-released"));
  await site.edit("v1beta1", { spec: { uninstallStrategy: "RemoveWorkloads" } });
  await say(null);
  await site.until(async () => expect(await strategy()).toBe("BlockUninstallIfWorkloadsExist"));
});

test("who wants it says so, and it is taken", async () => {
  await site.edit("v1", { metadata: { annotations: { "platform.kubevirt.io/adopt": "true" } } });
  await site.until(async () => expect(await migration("parallelMigrationsPerCluster")).toBe(5));
  await site.until(async () => expect(await migration("allowPostCopy")).toBe(false));
});
