// The stories of the profile live-migration on a real API server.

import { conditionOf } from "@virt/advisor";
import type { Item, JsonMap, KubeObject, Status } from "@virt/api";
import { at } from "@virt/objects";
import { expect, test } from "vitest";
import { edit, loadAware, paths, readAt, removeAt, writesOf } from "../support/advisor.ts";
import { create, createHco } from "../support/advisor-objects.ts";
import { deschedulerItem, useAdvisor, withoutPsi } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";
import { mockCrd } from "../support/test-cluster.ts";

const profile = "live-migration";
const hcoItem = "configure-live-migration";
const policyItem = "configure-migration-policy";
const policies = "/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies";
const policyPath = `${policies}/virt-live-migration`;
const networks = "/apis/k8s.cni.cncf.io/v1/namespaces/openshift-cnv/network-attachment-definitions";
const hcoWrite = "patch hyperconvergeds/kubevirt-hyperconverged";

const advisor = useAdvisor({
  moreCrds: ["migrationpolicies"],
  prepare: async ({ server }) => {
    await createHco(server, { liveMigrationConfig: { parallelMigrationsPerCluster: 5 } });
  },
});

const options = (liveMigration: JsonMap) => ({ options: { liveMigration } });
const others = { perCluster: null, network: null, policy: null, progressSeconds: null };
/** A merge patch that sets these options and removes the others. */
const only = (liveMigration: JsonMap) => options({ ...others, ...liveMigration });
const migrations = async (field: string) =>
  at(await readAt(advisor().server, paths.hco), "spec", "liveMigrationConfig", field);

const policyNamed = (name: string, vmLabels: JsonMap): KubeObject => ({
  apiVersion: "migrations.kubevirt.io/v1alpha1",
  kind: "MigrationPolicy",
  metadata: { name },
  spec: { selectors: { virtualMachineInstanceSelector: vmLabels } },
});

const hasItem = (name: string, operation: Item["operation"]) => (status: Status) =>
  status.phase === "ReviewRequired" &&
  status.items?.some((item) => item.name === name && item.operation === operation) === true;

test("A: more migrations force a new review of load-aware rebalancing", async () => {
  const { configs, server } = advisor();
  await configs.complete(loadAware, { options: withoutPsi });
  const reviewed = await configs.draft(profile, options({ perCluster: 20 }));
  expect(itemOf(reviewed, hcoItem)).toMatchObject({
    impactSeverity: "Low",
    managedFields: ["spec.liveMigrationConfig.parallelMigrationsPerCluster"],
    warnings: [
      "VirtPlatformConfig 'load-aware-rebalancing' derives its eviction limits from these values and needs a new review",
    ],
  });
  await configs.approve(profile);
  expect(await migrations("parallelMigrationsPerCluster")).toBe(20);
  const forced = await configs.until(loadAware, "ReviewRequired");
  expect(conditionOf(forced, "InputDependencyDrift")).toMatchObject({
    status: "True",
    message: "Input dependency changed: HCO parallelMigrationsPerCluster changed (scaled 5 -> 18)",
  });
  expect(itemOf(forced, deschedulerItem).state).toBe("Pending");
  expect(writesOf(server).at(-1)).toBe(hcoWrite);
  await configs.remove(loadAware);
});

test("B: a missing network is drafted when it exists, and is one write with impact Medium", async () => {
  const { configs, server } = advisor();
  const writes = writesOf(server).length;
  await configs.edit(profile, { action: "DryRun", ...only({ network: "mig" }) });
  const failed = (text: string) => (status: Status) =>
    status.phase === "PrerequisiteFailed" && conditionOf(status, "PrerequisiteFailed")?.message.includes(text) === true;
  await configs.until(profile, failed("Install the cluster's Multus or Network Operator"));
  await server.installCrds([mockCrd("networkattachmentdefinitions")]);
  const missing = "NetworkAttachmentDefinition 'openshift-cnv/mig' does not exist";
  const absent = await configs.until(profile, failed(missing));
  expect(conditionOf(absent, "Ready")?.message).toContain("Next: create it in the namespace of the HyperConverged");

  const network = { apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition", metadata: { name: "mig" } };
  await create(server, networks, { ...network, spec: { config: '{"type":"macvlan"}' } });
  const drafted = await configs.until(profile, "ReviewRequired");
  expect(itemOf(drafted, hcoItem)).toMatchObject({
    impactSeverity: "Medium",
    warnings: [
      "Changing the migration network restarts virt-handler on every node and fails migrations in progress; reachability is not checked",
    ],
  });
  await edit(server, `${networks}/mig`, { spec: { config: '{"type":"bridge"}' } });
  const redrafted = await configs.until(profile, ({ phase, inputs }) => {
    return phase === "ReviewRequired" && inputs?.[0]?.used !== drafted.inputs?.[0]?.used;
  });
  expect(conditionOf(redrafted, "InputDependencyDrift")?.message).toContain(
    "NetworkAttachmentDefinition openshift-cnv/mig changed",
  );
  await configs.approve(profile);
  expect(await migrations("network")).toBe("mig");
  expect(await migrations("parallelMigrationsPerCluster")).toBe(5);
  expect(writesOf(server).slice(writes)).toEqual([hcoWrite]);
});

test("D: removing the policy deletes its MigrationPolicy, but not another client's", async () => {
  const { configs, server } = advisor();
  await create(server, policies, policyNamed("of-a-team", { tier: "db", team: "a" }));
  await create(server, policies, policyNamed("elsewhere", { tier: "web" }));
  const policy = { vmLabels: { tier: "db" }, convergence: "PostCopy", bandwidthPerMigration: "4Mi" };
  await configs.edit(profile, { action: "DryRun", ...only({ policy }) });
  const reviewed = await configs.until(profile, hasItem(policyItem, "Apply"));
  expect(itemOf(reviewed, policyItem).warnings).toEqual([
    "PostCopy: a network failure during a migration loses the VM",
    "At 4Mi a GiB takes 256 seconds: migrations are cancelled",
    "MigrationPolicy 'of-a-team' also matches: KubeVirt takes the policy with more matching labels, then the first by name",
  ]);
  await configs.approve(profile);
  expect(await migrations("network")).toBeUndefined();
  expect(at(await readAt(server, policyPath), "spec")).toEqual({
    selectors: { virtualMachineInstanceSelector: { tier: "db" } },
    allowAutoConverge: false,
    allowPostCopy: true,
    bandwidthPerMigration: "4Mi",
  });

  await configs.edit(profile, { action: "DryRun", ...only({ perCluster: 6 }) });
  await configs.until(profile, hasItem(policyItem, "Delete"));
  await configs.approve(profile);
  expect(await readAt(server, policyPath)).toBeUndefined();

  await create(server, policies, policyNamed("virt-live-migration", { tier: "db" }));
  await configs.edit(profile, { action: "DryRun", ...only({ perCluster: 7 }) });
  const kept = await configs.until(
    profile,
    ({ phase, items = [] }) => phase === "ReviewRequired" && items.length === 1,
  );
  expect(itemOf(kept, hcoItem).warnings).toContain(
    "MigrationPolicy 'virt-live-migration' was not created by virt-advisor-operator-live-migration and is left in place",
  );
  await configs.approve(profile);
  expect(await readAt(server, policyPath)).toBeDefined();
  for (const name of ["of-a-team", "elsewhere", "virt-live-migration"]) await removeAt(server, `${policies}/${name}`);
});

test("turning the profile off restores the defaults and deletes the policy", async () => {
  const { configs, server } = advisor();
  await configs.edit(profile, only({ progressSeconds: 600, policy: { namespaceLabels: { team: "a" } } }));
  await configs.until(profile, ({ phase, items = [] }) => phase === "Completed" && items.length === 2);
  expect(await migrations("progressTimeout")).toBe(600);
  await configs.edit(profile, options({ enabled: false }));
  await expect.poll(() => readAt(server, policyPath)).toBeUndefined();
  const { items } = await configs.until(profile, "Completed");
  expect(items?.map(({ message }) => message)).toEqual(["Applied successfully", "Deleted successfully"]);
  expect(await migrations("progressTimeout")).toBe(150);
  await configs.remove(profile);
});

test("requires an option", async () => {
  const { configs } = advisor();
  await configs.create(profile, { action: "DryRun" });
  const failed = await configs.until(profile, "PrerequisiteFailed");
  expect(conditionOf(failed, "Ready")?.message).toContain("Set at least one option of liveMigration");
  await configs.remove(profile);
});

const refusedOptions = [
  { liveMigration: { perNode: 6, perCluster: 5 }, message: "perNode must not exceed perCluster" },
  { liveMigration: { policy: { convergence: "None" } }, message: "policy needs vmLabels or namespaceLabels" },
  { liveMigration: { policy: { vmLabels: {} } }, message: "should have at least 1 properties" },
  { liveMigration: { bandwidthPerMigration: "1Ti" }, message: "should match" },
  { liveMigration: { network: "Mig" }, message: "should match" },
];

test.each(refusedOptions)("the API server rejects $liveMigration", async ({ liveMigration, message }) => {
  await expect(advisor().configs.create(profile, options(liveMigration))).rejects.toThrow(message);
});
