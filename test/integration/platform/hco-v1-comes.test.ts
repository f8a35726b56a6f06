import { appliedBy, at, type Json, leavesOf, readOwners, writePath } from "@virt/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningProgram } from "../../world/program.ts";
import { startTwoVersions, type TwoVersions } from "./hco-versions.ts";

const devices = [
  { selector: "10DE:1EB8", resourceName: "nvidia.com/TU104GL_Tesla_T4" },
  { selector: "10DE:1EB9", resourceName: "nvidia.com/TU104GL_Tesla_T5" },
];
const wishes = (listed: readonly Json[]) => ({ "platform.kubevirt.io/vfio-devices": JSON.stringify(listed) });

const kept = { allowAutoConverge: false, allowPostCopy: false };
const holder = "virt-platform-operator-released";

let site: TwoVersions;
let operator: RunningProgram;
beforeAll(async () => {
  site = await startTwoVersions("old");
  await site.create("v1beta1", { liveMigrationConfig: { parallelMigrationsPerCluster: 20 } }, wishes(devices));
  operator = await site.world.startOperator({ flags: ["--activation=always"] });
  await site.untilManaged("v1beta1");
});
afterAll(() => site[Symbol.asyncDispose]());

const migration = async (field: string): Promise<Json | undefined> =>
  at(await site.read("v1"), "spec", "virtualization", "liveMigrationConfig", field);
const permitted = async () =>
  at(await site.read("v1"), "spec", "virtualization", "permittedHostDevices", "pciHostDevices") as Json[] | undefined;
const owned = async (manager: string) => leavesOf(appliedBy(readOwners(await site.read("v1")), manager)).map(writePath);

test("while there is v1beta1 alone, what is ours alone is held by somebody when it is let go", async () => {
  // What was corrected is ours alone.
  const wished = { spec: { uninstallStrategy: "RemoveWorkloads" } };
  const { resourceVersion } = (await site.read("v1beta1")).metadata;
  await site.edit("v1beta1", wished);
  await site.until(async () => {
    const { metadata, spec } = await site.read("v1beta1");
    expect(at(spec as Json, "uninstallStrategy")).toBe("BlockUninstallIfWorkloadsExist");
    expect(metadata.resourceVersion).not.toBe(resourceVersion);
  });
  const ignored = { "platform.kubevirt.io/ignore-fields": "/spec/uninstallStrategy" };
  await site.edit("v1beta1", { metadata: { annotations: ignored } });
  await site.until(async () => expect(await site.managers("v1beta1")).toContain(holder));
});

test("when v1 comes while it runs, all stays managed as it was, and after a restart too", async () => {
  const before = { spec: (await site.read("v1beta1"))["spec"], writes: site.writes().length };
  await site.world.server.installCrds([site.conversion.both]);
  await site.until(async () => expect(site.asked("v1")).not.toEqual([]));
  await operator.kill();
  expect(await site.read("v1beta1")).toMatchObject({ spec: before.spec });
  await site.world.startOperator({ flags: ["--activation=always"] });
  await site.edit("v1", { spec: { virtualization: { liveMigrationConfig: { allowPostCopy: true } } } });
  await site.until(async () => expect(await migration("allowPostCopy")).toBe(false));
  const written = site.writes().slice(before.writes);
  const applied = written.map(({ requestObject }) => at(requestObject as Json, "spec", "virtualization"));
  expect(applied).toEqual(applied.map(() => ({ liveMigrationConfig: kept, permittedHostDevices: expect.anything() })));
  expect(await migration("parallelMigrationsPerCluster")).toBe(20);
  expect(await permitted()).toHaveLength(2);
  expect(await owned(holder)).toEqual(["/spec/deployment/uninstallStrategy"]);
  expect(await owned("virt-platform-operator")).toContain("/spec/virtualization/liveMigrationConfig/allowPostCopy");
});

test("what an asset no longer wants goes, though it was applied in v1beta1", async () => {
  await site.edit("v1", { metadata: { annotations: wishes(devices.slice(0, 1)) } });
  await site.until(async () => expect(await permitted()).toHaveLength(1));
});

test("what was let go in v1beta1 stays let go, and is taken back on demand", async () => {
  const strategy = async () => at(await site.read("v1"), "spec", "deployment", "uninstallStrategy");
  const writes = site.writes().length;
  await site.edit("v1", { spec: { deployment: { uninstallStrategy: "RemoveWorkloads" } } });
  await site.edit("v1", { spec: { virtualization: { liveMigrationConfig: { allowPostCopy: true } } } });
  await site.until(async () => expect(await migration("allowPostCopy")).toBe(false));
  expect(site.writes().length).toBeGreaterThan(writes);
  expect(await strategy()).toBe("RemoveWorkloads");
  await site.edit("v1", { metadata: { annotations: { "platform.kubevirt.io/ignore-fields": null } } });
  await site.until(async () => expect(await strategy()).toBe("BlockUninstallIfWorkloadsExist"));
});
