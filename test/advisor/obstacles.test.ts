import { readFileSync } from "node:fs";
import { conditionOf } from "@virt/advisor";
import type { Status } from "@virt/api";
import { type Crd, inRepository } from "@virt/testkit";
import { load } from "js-yaml";
import { afterEach, expect, test } from "vitest";
import { dryRunRefusingWebhook, startWebhook } from "../support/admission-webhook.ts";
import { higherDensity, loadAware, paths, reasonsAbout, removeAt, requestsOf, writesOf } from "../support/advisor.ts";
import { createHco, createNamespace } from "../support/advisor-objects.ts";
import { densityItem, useAdvisor, withoutPsi } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";
import { prepareSkippedTime, type SkippedTime } from "../support/skipped-time.ts";
import { mockCrd } from "../support/test-cluster.ts";

const ownCrd = inRepository("config", "crd", "bases", "advisor.kubevirt.io_virtplatformconfigs.yaml");
const deschedulers = mockCrd("kubedeschedulers-v532");
let time: SkippedTime;

const advisor = useAdvisor({
  prepare: async ({ server }) => {
    time = await prepareSkippedTime(server.folder);
    await createHco(server, {});
    return { nodeFlags: time.nodeFlags };
  },
});
afterEach(async () => {
  for (const name of [loadAware, higherDensity]) await removeAt(advisor().server, paths.config(name));
});

function altered(file: string, change: (text: string) => string): Crd {
  return JSON.parse(change(JSON.stringify(load(readFileSync(file, "utf8"))))) as Crd;
}

test("reports invalid options that were stored before their CRD rule, until they are fixed", async () => {
  const { configs, server } = advisor();
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
  const { configs, server } = advisor();
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
  const { configs, server } = advisor();
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "only", labels: { zone: "a" } } };
  await server.request({ method: "POST", path: "/api/v1/nodes", body: node });
  const selecting = (zone: string) => ({
    virtHigherDensity: { enableSwap: false, ksmConfiguration: { nodeLabelSelector: { matchLabels: { zone } } } },
  });
  const reviewed = await configs.draft(higherDensity, { options: selecting("b") });
  expect(itemOf(reviewed, densityItem).warnings).toContain("nodeLabelSelector matches no node");
  await configs.edit(higherDensity, { options: selecting("a") });
  const matching = await configs.until(higherDensity, "ReviewRequired", 2);
  expect(itemOf(matching, densityItem).warnings ?? []).not.toContain("nodeLabelSelector matches no node");
});

test("reports a descheduler without a supported profile as a missing prerequisite", async () => {
  const { configs, server } = advisor();
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
  const { configs, server } = advisor();
  const name = "openshift-kube-descheduler-operator";
  await removeNamespace(name);
  const writes = writesOf(server).length;
  await configs.create(loadAware, { action: "Apply", options: withoutPsi });
  const blocked = await configs.until(loadAware, "PrerequisiteFailed");
  expect(conditionOf(blocked, "PrerequisiteFailed")?.message).toBe(`Namespace '${name}' does not exist`);
  expect(conditionOf(blocked, "Ready")?.message).toContain(" Next: ");
  expect(writesOf(server).slice(writes)).toEqual([]);
  await createNamespace(server, name);
  // Namespaces are not watched. The next reconcile is in two minutes, or after a change of any CRD.
  await server.installCrds([mockCrd("aaqs")]);
  await configs.until(loadAware, "Completed");
});

// HCO's webhook forwards errors of its dry runs of operands. See `errToResponse` in pkg/webhooks/validator/validator.go
// of kubevirt/hyperconverged-cluster-operator at 03da3cf.
test("quotes a 404 denial of HCO's webhook, and plans when it ends", async () => {
  const { configs, server } = advisor();
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
  await time.skip(advisor().operator, 61);
  const isRetrying = (status: Status) => conditionOf(status, "Reconciling")?.reason === "Retrying";
  const retrying = await configs.until(higherDensity, isRetrying);
  expect(conditionOf(retrying, "Reconciling")?.message).toContain(`denied the request: ${denial.message}`);
  await denying.remove();
  await configs.until(higherDensity, "ReviewRequired");
});

/** Finalizes the namespace, because no controller manager runs. */
async function removeNamespace(name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  await advisor().server.request({ method: "DELETE", path });
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: [] } };
  await advisor().server.request({ method: "PUT", path: `${path}/finalize`, body });
  await expect.poll(async () => (await advisor().server.request({ path })).status).toBe(404);
}
