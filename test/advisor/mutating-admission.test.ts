import { conditionOf } from "@virt/advisor";
import { at } from "@virt/objects";
import { afterEach, beforeAll, expect, test } from "vitest";
import { type AdmissionWebhook, fieldSettingWebhook, startWebhook } from "../support/admission-webhook.ts";
import { edit, loadAware, paths, readAt } from "../support/advisor.ts";
import { deschedulerItem, useAdvisor } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const find =
  "find the webhook or policy with: kubectl get mutatingwebhookconfigurations (or kubectl get mutatingadmissionpolicies, if the API server supports them)";
const changed = 'spec.mode ("Automatic" -> "Predictive")';
const isAboutAdmission = (warning: string) => warning.startsWith("MutatedByAdmission");
let webhook: AdmissionWebhook | undefined;

const advisor = useAdvisor({ scenario: "no-vms" });
beforeAll(() => advisor().configs.complete(loadAware));
afterEach(async () => {
  await webhook?.[Symbol.asyncDispose]();
  webhook = undefined;
});

const mode = async () => at(await readAt(advisor().server, paths.descheduler), "spec", "mode");

/** The API server applies changes of webhooks with a delay. */
async function admittedMode() {
  const body = { spec: { mode: "Automatic" } };
  const answer = await advisor().server.request({ method: "PATCH", path: `${paths.descheduler}?dryRun=All`, body });
  return at(answer.body as Parameters<typeof at>[0], "spec", "mode");
}

async function interfere(): Promise<void> {
  const options = fieldSettingWebhook("operator.openshift.io", "kubedeschedulers", "/spec/mode", "Predictive");
  webhook = await startWebhook(advisor().server, options);
  await expect.poll(admittedMode).toBe("Predictive");
}

test("reports fields that a webhook changes as drift, and completes without the webhook", async () => {
  const { configs } = advisor();
  await interfere();
  await edit(advisor().server, paths.descheduler, { metadata: { labels: { touched: "yes" } } });
  expect(await mode()).toBe("Predictive");
  const drifted = await configs.until(loadAware, "Drifted");
  expect(itemOf(drifted, deschedulerItem).message).toContain(`MutatedByAdmission: ${changed}`);
  const ready = conditionOf(drifted, "Ready");
  expect(ready?.status).toBe("False");
  expect(ready?.message).toContain(`Next: ${find}; exempt KubeDescheduler 'cluster' there`);

  await configs.edit(loadAware, { action: "DryRun" });
  const warned = await configs.until(loadAware, ({ items = [] }) =>
    items.some(({ name, warnings = [] }) => name === deschedulerItem && warnings.some(isAboutAdmission)),
  );
  expect(itemOf(warned, deschedulerItem).warnings).toContain(
    `MutatedByAdmission: admission modifies the fields that this item applies: ${changed}. Next: ${find}`,
  );
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, "Drifted", 3);

  await webhook?.remove();
  await expect.poll(admittedMode).toBe("Automatic");
  await configs.edit(loadAware, { action: "DryRun" });
  const planned = await configs.until(loadAware, "ReviewRequired");
  expect(itemOf(planned, deschedulerItem).warnings).toBeUndefined();
  await configs.approve(loadAware);
  expect(await mode()).toBe("Automatic");
});

test("does not complete a plan whose write a webhook changes after the review", async () => {
  const { configs } = advisor();
  await configs.edit(loadAware, { action: "DryRun", options: { loadAware: { deschedulingIntervalSeconds: 120 } } });
  const reviewed = await configs.until(
    loadAware,
    ({ phase, items = [] }) => phase === "ReviewRequired" && items.some(({ diff }) => diff.includes("120")),
  );
  expect(itemOf(reviewed, deschedulerItem).warnings).toBeUndefined();
  await interfere();
  await configs.edit(loadAware, { action: "Apply" });
  const drifted = await configs.until(loadAware, "Drifted");
  expect(itemOf(drifted, deschedulerItem).message).toContain(`MutatedByAdmission: ${changed}`);
});
