import { at, type Json } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTwoVersions, type TwoVersions } from "./hco-versions.ts";

let versions: TwoVersions;
beforeAll(async () => {
  versions = await startTwoVersions("both");
  // Created before v1 existed, and edited later in v1.
  await versions.create("v1beta1", { liveMigrationConfig: { parallelMigrationsPerCluster: 20 } });
  await versions.edit("v1", { spec: { virtualization: { liveMigrationConfig: { allowPostCopy: true } } } });
  await versions.testCluster.startOperator({ flags: ["--activation=always"] });
  await versions.untilManaged("v1");
});
afterAll(() => versions[Symbol.asyncDispose]());

const migration = async (field: string): Promise<Json | undefined> =>
  at(await versions.read("v1"), "spec", "virtualization", "liveMigrationConfig", field);
const strategy = async () => at(await versions.read("v1"), "spec", "deployment", "uninstallStrategy");

test("applies the catalog if the HyperConverged is served in v1", async () => {
  const path = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs";
  await versions.until(async () => {
    const { items } = (await versions.testCluster.server.request({ path })).body as { items: readonly Json[] };
    expect(items).toHaveLength(1);
  });
});

test("does not overwrite fields that users set in either version", async () => {
  expect(await migration("parallelMigrationsPerCluster")).toBe(20);
  expect(await migration("allowPostCopy")).toBe(true);
  await versions.until(async () => {
    const reports = (await versions.events("Contested")).join("\n");
    const parallel = "/spec/virtualization/liveMigrationConfig/parallelMigrationsPerCluster (installer)";
    expect(reports).toContain(parallel);
    expect(reports).toContain("/spec/virtualization/liveMigrationConfig/allowPostCopy (kubectl-edit)");
  });
});

test("corrects drift made in either version", async () => {
  await versions.edit("v1", { spec: { deployment: { uninstallStrategy: "RemoveWorkloads" } } });
  await versions.until(async () => expect(await strategy()).toBe("BlockUninstallIfWorkloadsExist"));
  await versions.edit("v1beta1", { spec: { uninstallStrategy: "RemoveWorkloads" } });
  await versions.until(async () => expect(await strategy()).toBe("BlockUninstallIfWorkloadsExist"));
  expect(await migration("parallelMigrationsPerCluster")).toBe(20);
});

test("a v1beta1 pointer releases a field until the annotation is removed", async () => {
  const say = (value: string | null) =>
    versions.edit("v1", { metadata: { annotations: { "platform.kubevirt.io/ignore-fields": value } } });
  await say("/spec/uninstallStrategy");
  await versions.until(async () => expect(await versions.managers("v1")).toContain("virt-platform-operator-released"));
  await versions.edit("v1beta1", { spec: { uninstallStrategy: "RemoveWorkloads" } });
  await say(null);
  await versions.until(async () => expect(await strategy()).toBe("BlockUninstallIfWorkloadsExist"));
});

test("the adopt annotation takes over contested fields", async () => {
  await versions.edit("v1", { metadata: { annotations: { "platform.kubevirt.io/adopt": "true" } } });
  await versions.until(async () => expect(await migration("parallelMigrationsPerCluster")).toBe(5));
  await versions.until(async () => expect(await migration("allowPostCopy")).toBe(false));
});
