// The profile vm-high-availability with the simulated Node Health Check Operator and the rules of its webhook.

import { conditionOf } from "@virt/advisor";
import type { JsonMap } from "@virt/api";
import { asList, at } from "@virt/objects";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AdmissionWebhook, startWebhook } from "../support/admission-webhook.ts";
import { edit, fault, paths, readAt, removeAt, writesOf } from "../support/advisor.ts";
import { useAdvisor } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";
import { nodeHealthCheckWebhook } from "../support/node-health-check-webhook.ts";
import {
  createFenceTemplate,
  createSelfTemplate,
  home,
  remediationCrds,
  remediationPaths,
} from "../support/remediation.ts";

const profile = "vm-high-availability";
const item = "configure-node-health-check";
const { check, checks, fenceTemplate, selfRemediation } = remediationPaths;

let webhook: AdmissionWebhook;
const advisor = useAdvisor({
  scenario: "no-vms",
  crds: remediationCrds,
  prepare: async ({ server }) => {
    await createSelfTemplate(server);
  },
});
beforeEach(async () => {
  webhook = await startWebhook(advisor().server, nodeHealthCheckWebhook);
});
afterEach(async () => {
  const { configs, server } = advisor();
  await webhook[Symbol.asyncDispose]();
  await configs.remove(profile);
  await removeAt(server, check);
  await removeAt(server, fenceTemplate);
});

const options = (vmHighAvailability: JsonMap) => ({ options: { vmHighAvailability } });
const specOf = async () => at(await readAt(advisor().server, check), "spec") as JsonMap;
const readyMessage = async () => conditionOf(await advisor().configs.status(profile), "Ready")?.message;

test("A: remediates a node that is not ready for 300 seconds", async () => {
  const { configs, server } = advisor();
  const drafted = await configs.draft(profile);
  expect(drafted.items?.map(({ name, changes, impactSeverity }) => [name, changes, impactSeverity])).toEqual([
    [item, true, "Medium"],
  ]);
  const completed = await configs.approve(profile);
  expect(itemOf(completed, item)).toMatchObject({ state: "Completed", message: "Applied successfully" });
  expect(await specOf()).toMatchObject({ remediationTemplate: { namespace: home }, minHealthy: "51%" });
  await fault(server, paths.node("worker-2"), ["not-ready", ""]);
  await expect.poll(() => readAt(server, selfRemediation("worker-2"))).toBeDefined();
  await fault(server, paths.node("worker-2"), ["not-ready", null]);
  await expect.poll(() => readAt(server, selfRemediation("worker-2"))).toBeUndefined();
});

test("B: waits for the deletion of another check, and then drafts the plan without an edit", async () => {
  const { configs, server } = advisor();
  const metadata = { name: "nhc-worker-default" };
  const selector = { matchExpressions: [{ key: "node-role.kubernetes.io/worker", operator: "Exists" }] };
  const remediationTemplate = { kind: "SelfNodeRemediationTemplate", name: "template", namespace: home };
  const body = {
    apiVersion: "remediation.medik8s.io/v1alpha1",
    kind: "NodeHealthCheck",
    metadata,
    spec: { minHealthy: "51%", selector, remediationTemplate },
  };
  expect((await server.request({ method: "POST", path: checks, body })).status).toBe(201);
  await configs.create(profile, { action: "DryRun" });
  const refused = await configs.until(profile, "PrerequisiteFailed");
  expect(conditionOf(refused, "PrerequisiteFailed")?.message).toContain(
    "NodeHealthCheck 'nhc-worker-default' already selects 3 of these nodes",
  );
  expect(await readyMessage()).toContain("kubectl delete nodehealthcheck nhc-worker-default");
  await server.kubectl("delete", "nodehealthcheck", metadata.name);
  await configs.until(profile, "ReviewRequired", 1);
});

test("C: escalates once the template exists, and switches back with one accepted apply", async () => {
  const { configs, server } = advisor();
  await configs.create(profile, { action: "DryRun", ...options({ remediation: "FenceAgentsThenSelf" }) });
  const refused = await configs.until(profile, "PrerequisiteFailed");
  expect(conditionOf(refused, "PrerequisiteFailed")?.message).toContain(
    "FenceAgentsRemediationTemplate 'openshift-workload-availability/fenceagentsremediationtemplate-default' does not exist",
  );
  await createFenceTemplate(server);
  await configs.until(profile, "ReviewRequired", 1);
  await configs.approve(profile);
  const escalating = await specOf();
  expect(asList(escalating["escalatingRemediations"]).map((step) => at(step, "timeout"))).toEqual(["5m", "10m"]);
  expect(escalating).not.toHaveProperty("remediationTemplate");

  const writes = writesOf(server).length;
  await configs.edit(profile, options({ remediation: "SelfNodeRemediation" }));
  const back = await configs.until(profile, "Completed", 3);
  expect(itemOf(back, item).state).toBe("Completed");
  expect(writesOf(server).slice(writes)).toEqual(["patch nodehealthchecks/virt-node-health-check"]);
  expect(await specOf()).not.toHaveProperty("escalatingRemediations");
});

test("reports a check that its operator disabled, until it is enabled", async () => {
  const { configs, server } = advisor();
  await createFenceTemplate(server);
  await configs.complete(profile, options({ remediation: "FenceAgents" }));
  await configs.edit(profile, options({ remediation: "SelfNodeRemediation" }));
  await configs.until(profile, "Completed", 2);
  await removeAt(server, remediationPaths.selfTemplate);
  const disabled = `NodeHealthCheck 'virt-node-health-check' is disabled: RemediationTemplateNotFound: Remediation template not found: "self-node-remediation-automatic-strategy-template"`;
  await configs.until(profile, ({ items = [] }) => items[0]?.message === disabled);
  expect(await readyMessage()).toContain("is disabled");
  await createSelfTemplate(server);
  await configs.until(profile, ({ phase, items = [] }) => phase === "Completed" && items[0]?.message !== disabled);
});

test("retries a change that a running remediation prohibits", async () => {
  const { configs, server } = advisor();
  await configs.complete(profile);
  await fault(server, paths.node("worker-2"), ["not-ready", ""]);
  const isRemediated = async () => asList(at(await readAt(server, check), "status", "unhealthyNodes")).length;
  await expect.poll(isRemediated).toBe(1);
  await createFenceTemplate(server);
  await configs.edit(profile, options({ remediation: "FenceAgents" }));
  const refusals = () =>
    server.audit().filter(({ responseStatus }) => responseStatus?.message?.includes("due to running remediation"));
  await expect.poll(() => refusals().length).toBe(3); // as many as make another refusal final
  await fault(server, paths.node("worker-2"), ["not-ready", null]);
  await configs.until(profile, "Completed", 2);
  expect(await specOf()).toMatchObject({ remediationTemplate: { kind: "FenceAgentsRemediationTemplate" } });
});

test("enabled: false deletes the check and gives up the eviction strategy", async () => {
  const { configs, server } = advisor();
  await configs.complete(profile, options({ evictionStrategy: "LiveMigrateIfPossible" }));
  const strategy = async () => at(await readAt(server, paths.hco), "spec", "evictionStrategy");
  expect(await strategy()).toBe("LiveMigrateIfPossible");
  await configs.edit(profile, options({ enabled: false }));
  const removed = await configs.until(profile, "Completed", 2);
  expect(removed.items?.map(({ name, operation }) => [name, operation])).toEqual([
    ["release-eviction-strategy", "Apply"],
    ["remove-node-health-check", "Delete"],
  ]);
  expect(await readAt(server, check)).toBeUndefined();
  await expect.poll(strategy).toBe("LiveMigrate");
});

test("reports when so few nodes are left that minHealthy would never remediate", async () => {
  const { configs, server } = advisor();
  await configs.complete(profile, options({ minHealthy: "2" }));
  const label = (value: string | null) => ({ metadata: { labels: { "node-role.kubernetes.io/master": value } } });
  await edit(server, paths.node("worker-2"), label(""));
  const moved = await configs.until(profile, "PrerequisiteFailed");
  expect(conditionOf(moved, "PrerequisiteFailed")?.message).toContain("minHealthy 2 of 2 nodes would never remediate");
  await edit(server, paths.node("worker-2"), label(null));
  await configs.until(profile, "Completed");
});
