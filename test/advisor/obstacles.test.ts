import { readFileSync } from "node:fs";
import { dirname } from "node:path/posix";
import { conditionOf } from "@virt/advisor";
import type { Status } from "@virt/api";
import { type Crd, inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { dryRunRefusingWebhook, startWebhook } from "../support/admission-webhook.ts";
import {
  higherDensity,
  loadAware,
  paths,
  printRequestsOnFailure,
  reasonsAbout,
  requestsOf,
  writesOf,
} from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import type { RunningProgram } from "../support/program.ts";
import { prepareSkippedTime, type SkippedTime } from "../support/skipped-time.ts";
import { mockCrd, startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const ownCrd = inRepository("config", "crd", "bases", "advisor.kubevirt.io_virtplatformconfigs.yaml");
const deschedulers = mockCrd("kubedeschedulers-v532");
const withoutPsi = { loadAware: { enablePSIMetrics: false } };
const hco = {
  apiVersion: "hco.kubevirt.io/v1beta1",
  kind: "HyperConverged",
  metadata: { name: "kubevirt-hyperconverged", namespace: "openshift-cnv" },
};
let testCluster: TestCluster;
let operator: RunningProgram;
let time: SkippedTime;

beforeAll(async () => {
  testCluster = await startTestCluster();
  time = await prepareSkippedTime(testCluster.server.folder);
  await testCluster.server.request({ method: "POST", path: dirname(paths.hco), body: hco });
  operator = await testCluster.startOperator({ flags: ["--advertise-profiles=false"], nodeFlags: time.nodeFlags });
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  for (const name of [loadAware, higherDensity])
    await testCluster.server.request({
      method: "DELETE",
      path: `/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/${name}`,
    });
});
afterAll(() => testCluster[Symbol.asyncDispose]());

function altered(file: string, change: (text: string) => string): Crd {
  return JSON.parse(change(JSON.stringify(load(readFileSync(file, "utf8"))))) as Crd;
}

test("reports invalid options that were stored before their CRD rule, until they are fixed", async () => {
  const { configs, server } = testCluster;
  const rule = /"rule":"!has\(self\.memoryToRequestRatio\)[^"]*"/g;
  await server.installCrds([altered(ownCrd, (text) => text.replace(rule, `"rule":"true"`))]);
  const options = { virtHigherDensity: { enableSwap: false, memoryToRequestRatio: 150 } };
  await expect
    .poll(async () => configs.create(higherDensity, { action: "Apply", options }).then(() => "stored", String))
    .toBe("stored");
  await server.installCrds([ownCrd]);
  const refused = await configs.until(higherDensity, "PrerequisiteFailed");
  const text = "Invalid config: memoryToRequestRatio > 120 requires enableSwap=true";
  expect(conditionOf(refused, "PrerequisiteFailed")?.message).toBe(text);
  expect(conditionOf(refused, "Stalled")).toMatchObject({ status: "True", message: text });
  expect(refused.items).toBeUndefined();
  await configs.edit(higherDensity, {
    action: "DryRun",
    options: { virtHigherDensity: { memoryToRequestRatio: 110 } },
  });
  await configs.until(higherDensity, "ReviewRequired");
});

test("reports a profile that this release does not know", async () => {
  const { configs, server } = testCluster;
  await server.installCrds([
    altered(ownCrd, (text) => text.replaceAll('"example-profile"', '"example-profile","later-profile"')),
  ]);
  await expect
    .poll(async () => configs.create("later-profile", { action: "Apply" }).then(() => "stored", String))
    .toBe("stored");
  const unknown = await configs.until("later-profile", "PrerequisiteFailed");
  expect(conditionOf(unknown, "PrerequisiteFailed")?.message).toBe(
    'Profile not found: profile "later-profile" not found',
  );
  await configs.remove("later-profile");
  await server.installCrds([ownCrd]);
});

test("warns of a selector that matches no node, and continues the plan", async () => {
  const { configs, server } = testCluster;
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "only", labels: { zone: "a" } } };
  await server.request({ method: "POST", path: "/api/v1/nodes", body: node });
  const selecting = (zone: string) => ({
    virtHigherDensity: { enableSwap: false, ksmConfiguration: { nodeLabelSelector: { matchLabels: { zone } } } },
  });
  await configs.create(higherDensity, { action: "DryRun", options: selecting("b") });
  const reviewed = await configs.until(higherDensity, "ReviewRequired");
  expect(itemOf(reviewed, "configure-higher-density").warnings).toContain("nodeLabelSelector matches no node");
  await configs.edit(higherDensity, { options: selecting("a") });
  const matching = await configs.until(
    higherDensity,
    ({ phase, observedGeneration }) => phase === "ReviewRequired" && observedGeneration === 2,
  );
  expect(itemOf(matching, "configure-higher-density").warnings ?? []).not.toContain(
    "nodeLabelSelector matches no node",
  );
});

test("reports a descheduler without a supported profile as a missing prerequisite", async () => {
  const { configs, server } = testCluster;
  const known = /"(Dev)?KubeVirtRelieveAndMigrate"|"LongLifecycle"/g;
  let count = 0;
  await server.installCrds([altered(deschedulers, (text) => text.replace(known, () => `"Unknown${count++}"`))]);
  await configs.create(loadAware, { action: "DryRun", options: withoutPsi });
  const missing = await configs.until(loadAware, "PrerequisiteFailed");
  expect(conditionOf(missing, "PrerequisiteFailed")?.message).toBe(
    [
      "Missing required dependencies:\n",
      "  - KubeDescheduler (operator.openshift.io.v1): The installed Descheduler Operator offers no supported profile\n",
    ].join(""),
  );
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("PrerequisitesMissing");
  await server.installCrds([deschedulers]);
  await configs.until(loadAware, "ReviewRequired");
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("PrerequisitesAvailable");
});

test("reports a missing namespace, and continues the plan when the namespace exists", async () => {
  const { configs, server } = testCluster;
  const name = "openshift-kube-descheduler-operator";
  await removeNamespace(name);
  const writes = writesOf(server).length;
  await configs.create(loadAware, { action: "Apply", options: withoutPsi });
  const blocked = await configs.until(loadAware, "PrerequisiteFailed");
  expect(conditionOf(blocked, "PrerequisiteFailed")?.message).toBe(`Namespace '${name}' does not exist`);
  expect(conditionOf(blocked, "Ready")?.message).toContain(" Next: ");
  expect(writesOf(server).slice(writes)).toEqual([]);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  expect((await server.request({ method: "POST", path: "/api/v1/namespaces", body: namespace })).status).toBe(201);
  // Namespaces are not watched. The next reconcile is in two minutes, or after a change of any CRD.
  await server.installCrds([mockCrd("aaqs")]);
  await configs.until(loadAware, "Completed");
});

// HCO's webhook forwards errors of its dry runs of operands. See `errToResponse` in pkg/webhooks/validator/validator.go
// of kubevirt/hyperconverged-cluster-operator at 03da3cf.
test("quotes a 404 denial of HCO's webhook, and plans when it ends", async () => {
  const { configs, server } = testCluster;
  const denial = { code: 404, message: 'kubevirts.kubevirt.io "kubevirt-kubevirt-hyperconverged" not found' };
  const hyperConvergeds = { group: "hco.kubevirt.io", plural: "hyperconvergeds" };
  const webhook = dryRunRefusingWebhook(hyperConvergeds, { name: "operands", ...denial });
  await using denying = await startWebhook(server, webhook);
  const body = { metadata: { labels: { asked: "yes" } } };
  const askByDryRun = () => server.request({ method: "PATCH", path: `${paths.hco}?dryRun=All`, body });
  await expect.poll(async () => (await askByDryRun()).status).toBe(denial.code);
  await configs.create(higherDensity, { action: "DryRun", options: { virtHigherDensity: { enableSwap: false } } });
  const denied = () =>
    requestsOf(server).filter(({ responseStatus }) => responseStatus?.message?.includes(denial.message));
  await expect.poll(() => denied().length).toBeGreaterThan(1); // reported after the first
  await time.skip(operator, 61);
  const isRetrying = (status: Status) => conditionOf(status, "Reconciling")?.reason === "Retrying";
  const retrying = await configs.until(higherDensity, isRetrying);
  expect(conditionOf(retrying, "Reconciling")?.message).toContain(`denied the request: ${denial.message}`);
  await denying.remove();
  await configs.until(higherDensity, "ReviewRequired");
});

/** Finalizes the namespace, because no controller manager runs. */
async function removeNamespace(name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  await testCluster.server.request({ method: "DELETE", path });
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: [] } };
  await testCluster.server.request({ method: "PUT", path: `${path}/finalize`, body });
  await expect.poll(async () => (await testCluster.server.request({ path })).status).toBe(404);
}
