import { at } from "@virt/objects";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type AdmissionWebhook, fieldSettingWebhook, startWebhook } from "../support/admission-webhook.ts";
import { edit, loadAware, paths, printRequestsOnFailure, readAt } from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const descheduler = "enable-load-aware-descheduling";
const find =
  "find the webhook or policy with: kubectl get mutatingwebhookconfigurations (or kubectl get mutatingadmissionpolicies, if the API server supports them)";
const changed = 'spec.mode ("Automatic" -> "Predictive")';
const isAboutAdmission = (warning: string) => warning.startsWith("MutatedByAdmission");
let testCluster: TestCluster;
let webhook: AdmissionWebhook | undefined;

beforeAll(async () => {
  testCluster = await startTestCluster();
  await testCluster.simulate("no-vms");
  await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
  await testCluster.configs.create(loadAware, { action: "Apply" });
  await testCluster.configs.until(loadAware, "Completed");
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  await webhook?.[Symbol.asyncDispose]();
  webhook = undefined;
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const mode = async () => at(await readAt(testCluster.server, paths.descheduler), "spec", "mode");

/** The API server applies changes of webhooks with a delay. */
async function admittedMode() {
  const body = { spec: { mode: "Automatic" } };
  const answer = await testCluster.server.request({ method: "PATCH", path: `${paths.descheduler}?dryRun=All`, body });
  return at(answer.body as Parameters<typeof at>[0], "spec", "mode");
}

async function interfere(): Promise<void> {
  const options = fieldSettingWebhook("operator.openshift.io", "kubedeschedulers", "/spec/mode", "Predictive");
  webhook = await startWebhook(testCluster.server, options);
  await expect.poll(admittedMode).toBe("Predictive");
}

test("reports fields that a webhook changes as drift, and completes without the webhook", async () => {
  const { configs } = testCluster;
  await interfere();
  await edit(testCluster.server, paths.descheduler, { metadata: { labels: { touched: "yes" } } });
  expect(await mode()).toBe("Predictive");
  const drifted = await configs.until(loadAware, "Drifted");
  expect(itemOf(drifted, descheduler).message).toContain(`MutatedByAdmission: ${changed}`);
  const ready = drifted.conditions?.find(({ type }) => type === "Ready");
  expect(ready?.status).toBe("False");
  expect(ready?.message).toContain(`Next: ${find}; exempt KubeDescheduler 'cluster' there`);

  await configs.edit(loadAware, { action: "DryRun" });
  const warned = await configs.until(loadAware, ({ items = [] }) =>
    items.some(({ name, warnings = [] }) => name === descheduler && warnings.some(isAboutAdmission)),
  );
  expect(itemOf(warned, descheduler).warnings).toContain(
    `MutatedByAdmission: admission modifies the fields that this item applies: ${changed}. Next: ${find}`,
  );
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, ({ phase, observedGeneration }) => phase === "Drifted" && observedGeneration === 3);

  await webhook?.remove();
  await expect.poll(admittedMode).toBe("Automatic");
  await configs.edit(loadAware, { action: "DryRun" });
  const planned = await configs.until(loadAware, "ReviewRequired");
  expect(itemOf(planned, descheduler).warnings).toBeUndefined();
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, "Completed");
  expect(await mode()).toBe("Automatic");
});

test("does not complete a plan whose write a webhook changes after the review", async () => {
  const { configs } = testCluster;
  await configs.edit(loadAware, { action: "DryRun", options: { loadAware: { deschedulingIntervalSeconds: 120 } } });
  const reviewed = await configs.until(
    loadAware,
    ({ phase, items = [] }) => phase === "ReviewRequired" && items.some(({ diff }) => diff.includes("120")),
  );
  expect(itemOf(reviewed, descheduler).warnings).toBeUndefined();
  await interfere();
  await configs.edit(loadAware, { action: "Apply" });
  const drifted = await configs.until(loadAware, "Drifted");
  expect(itemOf(drifted, descheduler).message).toContain(`MutatedByAdmission: ${changed}`);
});
