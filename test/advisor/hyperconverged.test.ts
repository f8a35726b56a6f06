import { conditionOf } from "@virt/advisor";
import { at } from "@virt/objects";
import { expect, test } from "vitest";
import { edit, higherDensity, loadAware, paths, readAt, removeAt, writesOf } from "../support/advisor.ts";
import { createHco, createNamespace, hcosIn } from "../support/advisor-objects.ts";
import { densityItem, deschedulerItem, overcommitOf, useAdvisor, withoutPsi } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const otherLimits = { loadAware: { enablePSIMetrics: false, deschedulingIntervalSeconds: 120 } };
const moreDense = { virtHigherDensity: { enableSwap: false, memoryToRequestRatio: 110 } };
const upstream = "kubevirt-hyperconverged";
const withoutSwap = { virtHigherDensity: { enableSwap: false } };
const hcoIn = (namespace: string) => `${hcosIn(namespace)}/kubevirt-hyperconverged`;

const advisor = useAdvisor({
  prepare: async ({ server }) => {
    for (const name of ["aaa-tenant", "bbb-tenant"]) await createNamespace(server, name);
  },
});

const migrations = (parallelMigrationsPerCluster: number) => ({
  liveMigrationConfig: { parallelMigrationsPerCluster },
});

test("requests a missing HyperConverged, never creates it, and continues when it exists", async () => {
  const { configs, server } = advisor();
  await configs.create(higherDensity, { action: "Apply", options: withoutSwap, bypassOptimisticLock: true });
  const blocked = await configs.until(higherDensity, "PrerequisiteFailed");
  const text = "HyperConverged 'kubevirt-hyperconverged' does not exist";
  expect(conditionOf(blocked, "PrerequisiteFailed")?.message).toBe(text);
  expect(conditionOf(blocked, "Ready")?.message).toMatch(
    / Next: create HyperConverged openshift-cnv\/kubevirt-hyperconverged to install OpenShift Virtualization\. /,
  );
  expect(blocked.items).toBeUndefined();
  await createHco(server, migrations(5));
  await configs.until(higherDensity, "Completed");
  expect(await overcommitOf(server)).toBe(120);
  expect(writesOf(server)).toEqual(["patch hyperconvergeds/kubevirt-hyperconverged"]);
});

test("does not re-create a deleted HyperConverged, even with bypassOptimisticLock", async () => {
  const { configs, server } = advisor();
  const writes = writesOf(server).length;
  await removeAt(server, paths.hco);
  await configs.until(higherDensity, "PrerequisiteFailed");
  expect(await readAt(server, paths.hco)).toBeUndefined();
  await createHco(server, migrations(5));
  const reviewed = await configs.until(higherDensity, "ReviewRequired");
  expect(reviewed.review).toMatchObject({ forced: true });
  expect(writesOf(server).slice(writes)).toEqual([]);
  await configs.remove(higherDensity);
});

test("a second HyperConverged in an alphabetically earlier namespace does not affect plans", async () => {
  const { configs, server } = advisor();
  await configs.complete(loadAware, { options: withoutPsi });
  await createHco(server, migrations(500), "aaa-tenant");
  // The plan uses later changes of the selected HyperConverged.
  await edit(server, paths.hco, { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 7 } } });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(reviewed.inputs).toContainEqual({ name: "parallelMigrationsPerCluster", used: "7", applied: "5" });
  const { targetRef } = itemOf(await configs.draft(higherDensity, { options: withoutSwap }), densityItem);
  expect(targetRef.namespace).toBe("openshift-cnv");
});

test("limits evictions to 100, and reports the HyperConverged value above that limit", async () => {
  const { configs, server } = advisor();
  await edit(server, paths.hco, { spec: { liveMigrationConfig: { parallelOutboundMigrationsPerNode: 1000 } } });
  const reviewed = await configs.until(loadAware, ({ phase, inputs = [] }) => {
    return phase === "ReviewRequired" && inputs.some(({ used }) => used === "100");
  });
  const item = itemOf(reviewed, deschedulerItem);
  expect(at(item.desiredState, "spec", "evictionLimits")).toEqual({ node: 100, total: 7 });
  expect(item.warnings).toContain(
    "evictionLimits.node is limited to 100: HyperConverged parallelOutboundMigrationsPerNode is 1000",
  );
});

test("selects none of several HyperConvergeds in unusual namespaces; only new plans wait", async () => {
  const { configs, server } = advisor();
  await configs.reapprove(loadAware);
  await createHco(server, migrations(500), "bbb-tenant");
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
  const { targetRef } = itemOf(await configs.until(higherDensity, "ReviewRequired"), densityItem);
  expect(targetRef.namespace).toBe("aaa-tenant");
});

test("upstream KubeVirt: plans use the HyperConverged in its own namespace", async () => {
  const { configs, server } = advisor();
  await removeAt(server, hcoIn("aaa-tenant"));
  await createNamespace(server, upstream);
  await createHco(server, migrations(7), upstream);
  for (const name of [higherDensity, loadAware]) await configs.remove(name);
  const item = itemOf(await configs.draft(loadAware, { options: withoutPsi }), deschedulerItem);
  expect(at(item.desiredState, "spec", "evictionLimits", "total")).toBe(7);
  const { targetRef } = itemOf(await configs.draft(higherDensity, { options: withoutSwap }), densityItem);
  expect(targetRef.namespace).toBe(upstream);
});

test("reports a HyperConverged outside --hco-namespace, and does not suggest creating another", async () => {
  const { configs, operator, stop } = advisor();
  await stop();
  const isTraced = operator.log.some(({ msg }) => msg === "reconciled");
  expect(isTraced).toBe(false);
  await advisor().start("--hco-namespace=openshift-cnv", "--log-level=debug");
  const text =
    "HyperConverged not found in namespace openshift-cnv (set by --hco-namespace); it is in kubevirt-hyperconverged. Remove --hco-namespace, or set it to that namespace";
  for (const name of [higherDensity, loadAware]) {
    await configs.edit(name, { action: "DryRun", options: name === loadAware ? otherLimits : moreDense });
    const blocked = await configs.until(name, "PrerequisiteFailed");
    expect(conditionOf(blocked, "PrerequisiteFailed")?.message).toBe(text);
    expect(conditionOf(blocked, "Ready")?.message).not.toContain("create HyperConverged");
  }
});

test("the debug log shows key, triggers, decision, requests and duration of a reconcile", async () => {
  const { configs, operator } = advisor();
  await configs.edit(loadAware, { action: "Ignore" });
  await configs.until(loadAware, "Ignored");
  const traces = () => operator.log.filter(({ msg, key }) => msg === "reconciled" && key === loadAware);
  await expect.poll(traces).toContainEqual(
    expect.objectContaining({
      level: "debug",
      controller: "advisor",
      triggers: [`VirtPlatformConfig ${loadAware} changed`],
      decisions: ["phase PrerequisiteFailed → Ignored, status written, next reconcile on-change"],
      requests: expect.arrayContaining([`update ${paths.config(loadAware)}/status (200)`]) as readonly string[],
      outcome: "done",
      durationMs: expect.any(Number) as number,
    }),
  );
});
