import { conditionOf } from "@virt/advisor";
import { at } from "@virt/objects";
import type { Server } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  edit,
  higherDensity,
  loadAware,
  paths,
  printRequestsOnFailure,
  readAt,
  removeAt,
  writesOf,
} from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const withoutPsi = { loadAware: { enablePSIMetrics: false } };
const otherLimits = { loadAware: { enablePSIMetrics: false, deschedulingIntervalSeconds: 120 } };
const moreDense = { virtHigherDensity: { enableSwap: false, memoryToRequestRatio: 110 } };
const configsPath = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";
const upstream = "kubevirt-hyperconverged";
const withoutSwap = { virtHigherDensity: { enableSwap: false } };
const hcosIn = (namespace: string) => `/apis/hco.kubevirt.io/v1beta1/namespaces/${namespace}/hyperconvergeds`;
const hcoIn = (namespace: string) => `${hcosIn(namespace)}/kubevirt-hyperconverged`;
let testCluster: TestCluster;
let operator: Awaited<ReturnType<TestCluster["startOperator"]>>;

beforeAll(async () => {
  testCluster = await startTestCluster();
  for (const name of ["aaa-tenant", "bbb-tenant"])
    await post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  operator = await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
});
afterEach(printRequestsOnFailure(() => testCluster));
afterAll(() => testCluster[Symbol.asyncDispose]());

async function post(path: string, body: object): Promise<void> {
  const answer = await testCluster.server.request({ method: "POST", path, body });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
}

function createHco(namespace: string, parallelMigrationsPerCluster = 5): Promise<void> {
  const metadata = { name: "kubevirt-hyperconverged", namespace };
  const spec = { liveMigrationConfig: { parallelMigrationsPerCluster } };
  return post(hcosIn(namespace), { apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged", metadata, spec });
}

const overcommitOf = async (server: Server) =>
  at(await readAt(server, paths.hco), "spec", "higherWorkloadDensity", "memoryOvercommitPercentage");

test("a HyperConverged that does not exist is asked for, never made, and the plan goes on by itself when it is there", async () => {
  const { configs, server } = testCluster;
  await configs.create(higherDensity, { action: "Apply", options: withoutSwap, bypassOptimisticLock: true });
  const blocked = await configs.until(higherDensity, "PrerequisiteFailed");
  const text = "HyperConverged 'kubevirt-hyperconverged' does not exist";
  expect(conditionOf(blocked, "PrerequisiteFailed")?.message).toBe(text);
  expect(conditionOf(blocked, "Ready")?.message).toMatch(
    / Next: create HyperConverged openshift-cnv\/kubevirt-hyperconverged to install OpenShift Virtualization\. /,
  );
  expect(blocked.items).toBeUndefined();
  await createHco("openshift-cnv");
  await configs.until(higherDensity, "Completed");
  expect(await overcommitOf(server)).toBe(120);
  expect(writesOf(server)).toEqual(["patch hyperconvergeds/kubevirt-hyperconverged"]);
});

test("one that vanishes later is not made again, even where drift is corrected by itself", async () => {
  const { configs, server } = testCluster;
  const writes = writesOf(server).length;
  await removeAt(server, paths.hco);
  await configs.until(higherDensity, "PrerequisiteFailed");
  expect(await readAt(server, paths.hco)).toBeUndefined();
  await createHco("openshift-cnv");
  const reviewed = await configs.until(higherDensity, "ReviewRequired");
  expect(reviewed.review).toMatchObject({ forced: true });
  expect(writesOf(server).slice(writes)).toEqual([]);
  await configs.remove(higherDensity);
});

test("a HyperConverged that somebody plants in an earlier namespace moves no plan", async () => {
  const { configs, server } = testCluster;
  await configs.create(loadAware, { action: "Apply", options: withoutPsi });
  await configs.until(loadAware, "Completed");
  await createHco("aaa-tenant", 500);
  // The plan uses later changes of the selected HyperConverged.
  await edit(server, paths.hco, { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 7 } } });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(reviewed.inputs).toContainEqual({ name: "parallelMigrationsPerCluster", used: "7", applied: "5" });
  await configs.create(higherDensity, { action: "DryRun", options: withoutSwap });
  const { targetRef } = itemOf(await configs.until(higherDensity, "ReviewRequired"), "configure-higher-density");
  expect(targetRef.namespace).toBe("openshift-cnv");
});

test("evictions follow the HyperConverged up to a bound, and the plan names field, value and bound", async () => {
  const { configs, server } = testCluster;
  await edit(server, paths.hco, { spec: { liveMigrationConfig: { parallelOutboundMigrationsPerNode: 1000 } } });
  const reviewed = await configs.until(loadAware, ({ phase, inputs = [] }) => {
    return phase === "ReviewRequired" && inputs.some(({ used }) => used === "100");
  });
  const item = itemOf(reviewed, "enable-load-aware-descheduling");
  expect(at(item.desiredState, "spec", "evictionLimits")).toEqual({ node: 100, total: 7 });
  expect(item.warnings).toContain(
    "evictionLimits.node is limited to 100: HyperConverged parallelOutboundMigrationsPerNode is 1000",
  );
});

test("of several in unusual namespaces none is taken; plans in force stay, and new ones wait until one is left", async () => {
  const { configs, server } = testCluster;
  await configs.edit(loadAware, { action: "DryRun" });
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, "Completed");
  await createHco("bbb-tenant", 500);
  await removeAt(server, paths.hco);
  await configs.edit(higherDensity, {
    action: "DryRun",
    options: { virtHigherDensity: { memoryToRequestRatio: 110 } },
  });
  const blocked = await configs.until(higherDensity, "PrerequisiteFailed");
  expect(conditionOf(blocked, "PrerequisiteFailed")?.message).toBe(
    "More than one HyperConverged found, in namespaces aaa-tenant, bbb-tenant; set --hco-namespace",
  );
  expect((await configs.status(loadAware)).phase).toBe("Completed");
  await removeAt(server, hcoIn("bbb-tenant"));
  const { targetRef } = itemOf(await configs.until(higherDensity, "ReviewRequired"), "configure-higher-density");
  expect(targetRef.namespace).toBe("aaa-tenant");
});

test("on upstream KubeVirt, plans read the HyperConverged where it is", async () => {
  const { configs, server } = testCluster;
  await removeAt(server, hcoIn("aaa-tenant"));
  await post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: upstream } });
  await createHco(upstream, 7);
  for (const name of [higherDensity, loadAware]) await configs.remove(name);
  await configs.create(loadAware, { action: "DryRun", options: withoutPsi });
  const item = itemOf(await configs.until(loadAware, "ReviewRequired"), "enable-load-aware-descheduling");
  expect(at(item.desiredState, "spec", "evictionLimits", "total")).toBe(7);
  await configs.create(higherDensity, { action: "DryRun", options: withoutSwap });
  const { targetRef } = itemOf(await configs.until(higherDensity, "ReviewRequired"), "configure-higher-density");
  expect(targetRef.namespace).toBe(upstream);
});

test("a HyperConverged outside the pinned namespace is named, and no plan advises to create a second one", async () => {
  const { configs } = testCluster;
  await operator.kill();
  const isTraced = operator.log.some(({ msg }) => msg === "reconciled");
  expect(isTraced).toBe(false);
  const flags = ["--advertise-profiles=false", "--hco-namespace=openshift-cnv", "--log-level=debug"];
  operator = await testCluster.startOperator({ flags });
  const text =
    "HyperConverged not found in namespace openshift-cnv (set by --hco-namespace); it is in kubevirt-hyperconverged. Remove --hco-namespace, or set it to that namespace";
  for (const name of [higherDensity, loadAware]) {
    await configs.edit(name, { action: "DryRun", options: name === loadAware ? otherLimits : moreDense });
    const blocked = await configs.until(name, "PrerequisiteFailed");
    expect(conditionOf(blocked, "PrerequisiteFailed")?.message).toBe(text);
    expect(conditionOf(blocked, "Ready")?.message).not.toContain("create HyperConverged");
  }
});

test("a debug log traces a reconcile: key, triggers, decision, requests and duration", async () => {
  const { configs } = testCluster;
  await configs.edit(loadAware, { action: "Ignore" });
  await configs.until(loadAware, "Ignored");
  const traces = () => operator.log.filter(({ msg, key }) => msg === "reconciled" && key === loadAware);
  await expect.poll(traces).toContainEqual(
    expect.objectContaining({
      level: "debug",
      controller: "advisor",
      triggers: [`VirtPlatformConfig ${loadAware} changed`],
      decisions: ["phase PrerequisiteFailed → Ignored, status written, next reconcile on-change"],
      requests: expect.arrayContaining([`update ${configsPath}/${loadAware}/status (200)`]) as readonly string[],
      outcome: "done",
      durationMs: expect.any(Number) as number,
    }),
  );
});
