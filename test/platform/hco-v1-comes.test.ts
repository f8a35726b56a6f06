import { appliedBy, at, type Json, leavesOf, readOwners, writePath } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningProgram } from "../support/program.ts";
import { startTwoVersions, type TwoVersions } from "./hco-versions.ts";

const devices = [
  { selector: "10DE:1EB8", resourceName: "nvidia.com/TU104GL_Tesla_T4" },
  { selector: "10DE:1EB9", resourceName: "nvidia.com/TU104GL_Tesla_T5" },
];
const deviceAnnotations = (listed: readonly Json[]) => ({
  "platform.kubevirt.io/vfio-devices": JSON.stringify(listed),
});

const kept = { allowAutoConverge: false, allowPostCopy: false };
const holder = "virt-platform-operator-released";

let versions: TwoVersions;
let operator: RunningProgram;
beforeAll(async () => {
  versions = await startTwoVersions("old");
  await versions.create(
    "v1beta1",
    { liveMigrationConfig: { parallelMigrationsPerCluster: 20 } },
    deviceAnnotations(devices),
  );
  operator = await versions.testCluster.startOperator({ flags: ["--activation=always"] });
  await versions.untilManaged("v1beta1");
});
afterAll(() => versions[Symbol.asyncDispose]());

const migration = async (field: string): Promise<Json | undefined> =>
  at(await versions.read("v1"), "spec", "virtualization", "liveMigrationConfig", field);
const permitted = async () =>
  at(await versions.read("v1"), "spec", "virtualization", "permittedHostDevices", "pciHostDevices") as
    | Json[]
    | undefined;
const owned = async (manager: string) =>
  leavesOf(appliedBy(readOwners(await versions.read("v1")), manager)).map(writePath);

test("a field released in v1beta1 gets another owner", async () => {
  // A correction makes the operator the field's only owner.
  const edited = { spec: { uninstallStrategy: "RemoveWorkloads" } };
  const { resourceVersion } = (await versions.read("v1beta1")).metadata;
  await versions.edit("v1beta1", edited);
  await versions.until(async () => {
    const { metadata, spec } = await versions.read("v1beta1");
    expect(at(spec as Json, "uninstallStrategy")).toBe("BlockUninstallIfWorkloadsExist");
    expect(metadata.resourceVersion).not.toBe(resourceVersion);
  });
  const ignored = { "platform.kubevirt.io/ignore-fields": "/spec/uninstallStrategy" };
  await versions.edit("v1beta1", { metadata: { annotations: ignored } });
  await versions.until(async () => expect(await versions.managers("v1beta1")).toContain(holder));
});

test("all fields stay managed when v1 appears, also after a restart", async () => {
  const before = (await versions.read("v1beta1"))["spec"];
  await versions.testCluster.server.installCrds([versions.conversion.both]);
  await versions.until(async () => expect(versions.asked("v1")).not.toEqual([]));
  await operator.kill();
  expect(await versions.read("v1beta1")).toMatchObject({ spec: before });
  await versions.testCluster.startOperator({ flags: ["--activation=always"] });
  await versions.edit("v1", { spec: { virtualization: { liveMigrationConfig: { allowPostCopy: true } } } });
  await versions.until(async () => expect(await migration("allowPostCopy")).toBe(false));
  const written = () =>
    versions.writes().filter(({ requestURI }) => requestURI.startsWith("/apis/hco.kubevirt.io/v1/"));
  await expect.poll(written).not.toEqual([]); // the audit log can be late
  const applied = written().map(({ requestObject }) => at(requestObject as Json, "spec", "virtualization"));
  expect(applied).toEqual(applied.map(() => ({ liveMigrationConfig: kept, permittedHostDevices: expect.anything() })));
  expect(await migration("parallelMigrationsPerCluster")).toBe(20);
  expect(await permitted()).toHaveLength(2);
  expect(await owned(holder)).toEqual(["/spec/deployment/uninstallStrategy"]);
  expect(await owned("virt-platform-operator")).toContain("/spec/virtualization/liveMigrationConfig/allowPostCopy");
});

test("removes obsolete fields that were applied in v1beta1", async () => {
  await versions.edit("v1", { metadata: { annotations: deviceAnnotations(devices.slice(0, 1)) } });
  await versions.until(async () => expect(await permitted()).toHaveLength(1));
});

test("a field released in v1beta1 stays released until its override is removed", async () => {
  const strategy = async () => at(await versions.read("v1"), "spec", "deployment", "uninstallStrategy");
  const writes = versions.writes().length;
  await versions.edit("v1", { spec: { deployment: { uninstallStrategy: "RemoveWorkloads" } } });
  await versions.edit("v1", { spec: { virtualization: { liveMigrationConfig: { allowPostCopy: true } } } });
  await versions.until(async () => expect(await migration("allowPostCopy")).toBe(false));
  await expect.poll(() => versions.writes().length).toBeGreaterThan(writes); // the audit log can be late
  expect(await strategy()).toBe("RemoveWorkloads");
  await versions.edit("v1", { metadata: { annotations: { "platform.kubevirt.io/ignore-fields": null } } });
  await versions.until(async () => expect(await strategy()).toBe("BlockUninstallIfWorkloadsExist"));
});
