// @module-tag thorough

import { at } from "@virt/objects";
import type { ApiRequest } from "@virt/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { applyManifests } from "../support/account.ts";
import { paths } from "../support/advisor.ts";
import { request } from "../support/advisor-objects.ts";
import { denyPlatformUpdates } from "../support/deny-platform-updates.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { applyDeployment, type ScrapedOperator, startScrapedOperator } from "./scraped-operator.ts";

const mocks = ["nodehealthchecks", "selfnoderemediationtemplates", "selfnoderemediations", "servicemonitors"];
const checks = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks";
const check = `${checks}/virt-node-health-check`;
const annotation = (key: string) => `platform.kubevirt.io/${key}`;
const series = (metric: string, more: string, value: number) =>
  new RegExp(
    `^kubevirt_platform_${metric}\\{kind="NodeHealthCheck",name="virt-node-health-check",.*${more}\\} ${value}$`,
    "m",
  );
let testCluster: TestCluster;
let scraped: ScrapedOperator;

beforeAll(async () => {
  const crds = Object.fromEntries(mocks.map((name) => [name, name]));
  testCluster = await startTestCluster({ controller: "platform", crds: { ...crds, kubedeschedulers: null } });
  await testCluster.simulate("no-vms");
  const body = {
    apiVersion: "remediation.medik8s.io/v1alpha1",
    kind: "NodeHealthCheck",
    metadata: { name: "virt-node-health-check" },
    spec: { minHealthy: "40%", stormCooldownDuration: "5m" },
  };
  await ok({ method: "POST", path: `${checks}?fieldManager=installer`, body });
  scraped = await startScrapedOperator(testCluster, ["--activation=always"]);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const ok = (sent: ApiRequest) => request(testCluster.server, sent);
const edit = (body: object, by = "kubectl-edit") => ok({ method: "PATCH", path: `${check}?fieldManager=${by}`, body });
const spec = async (field: string) => at(await ok({ path: check }), "spec", field);
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 40 });

test("the runbook resolves VirtPlatformContested", async () => {
  await scraped.expectSeries(series("contested_fields", "", 1));
  await scraped.expectDiagnosis("VirtPlatformContested", "/spec/minHealthy (installer)");
  await scraped.mitigate("VirtPlatformContested");
  await scraped.expectNoSeries(/^kubevirt_platform_contested_fields\{kind="NodeHealthCheck"/m);
  await until(async () => expect(await spec("minHealthy")).toBe("51%"));
  await scraped.expectSeries(series("compliance_status", "", 1));
});

test("the runbook resolves VirtPlatformInvalidOverride", async () => {
  await edit({ metadata: { annotations: { [annotation("patch")]: "[{" } } });
  await scraped.expectSeries(series("invalid_override", 'type="patch"', 1));
  await scraped.expectDiagnosis(
    "VirtPlatformInvalidOverride",
    "Invalid JSON patch for NodeHealthCheck virt-node-health-check",
  );
  const minHealthyIs = (value: string) => () => until(async () => expect(await spec("minHealthy")).toBe(value));
  await scraped.mitigateInSteps("VirtPlatformInvalidOverride", [minHealthyIs("60%"), minHealthyIs("51%")]);
  await scraped.expectNoSeries(/^kubevirt_platform_invalid_override\{/m);
});

test("the runbook resolves VirtPlatformThrashingDetected", { timeout: 300_000 }, async () => {
  const insist = () => edit({ spec: { stormCooldownDuration: "9m" } }, "stubborn");
  await until(async () => {
    if ((await spec("stormCooldownDuration")) !== "9m") await insist();
    expect(await scraped.scrape()).toMatch(series("paused_resources", 'reason="edit-war"', 1));
  });
  await scraped.expectDiagnosis("VirtPlatformThrashingDetected", "stubborn");
  await scraped.mitigate("VirtPlatformThrashingDetected");
  await scraped.expectSeries(series("paused_resources", 'reason="edit-war"', 0));
});

test("the runbook resolves VirtPlatformSyncFailed", async () => {
  await applyManifests(
    testCluster.server,
    denyPlatformUpdates({ group: "remediation.medik8s.io", resource: "nodehealthchecks" }),
  );
  // A new policy takes effect after a delay. Until then the operator corrects the edit.
  await until(async () => {
    if ((await spec("minHealthy")) === "51%") await edit({ spec: { minHealthy: "40%" } }, "other-client");
    expect(await scraped.scrape()).toMatch(series("compliance_status", "", 0));
  });
  await scraped.expectDiagnosis("VirtPlatformSyncFailed", "hands off");
  await scraped.mitigate("VirtPlatformSyncFailed");
  await scraped.expectNoSeries(/^kubevirt_platform_compliance_status\{kind="NodeHealthCheck"/m);
  await ok({ method: "DELETE", path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/hands-off" });
  await edit({ spec: { minHealthy: "51%" }, metadata: { annotations: { [annotation("mode")]: null } } });
  await scraped.expectSeries(series("compliance_status", "", 1));
});

test("the runbook resolves VirtPlatformDependencyMissing", async () => {
  const missing = /^kubevirt_platform_missing_dependency\{.*kind="KubeDescheduler"\} 1$/m;
  const body = { metadata: { annotations: { [annotation("enable-loadaware")]: "true" } } };
  await ok({ method: "PATCH", path: paths.hco, body });
  await scraped.expectSeries(missing);
  await scraped.expectDiagnosis("VirtPlatformDependencyMissing", "kubedeschedulers.operator.openshift.io");
  await scraped.mitigate("VirtPlatformDependencyMissing");
  await scraped.expectNoSeries(missing);
});

test("the runbook resolves VirtPlatformTombstoneStuck", async () => {
  // Uses an existing object as a tombstone, because this release has none.
  const path = "/api/v1/namespaces/virt-platform-operator-system/configmaps";
  const body = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "old-settings", finalizers: ["example.com/hold"] },
  };
  await ok({ method: "POST", path, body });
  await scraped.expectDiagnosis("VirtPlatformTombstoneStuck", "example.com/hold");
  expect(await scraped.mitigate("VirtPlatformTombstoneStuck")).toContain("deleted");
});

test("the runbook resolves VirtPlatformDown", async () => {
  await applyDeployment(testCluster, "platform");
  await scraped.expectSeries(/^kubevirt_platform_leader 1$/m);
  await scraped.operator.kill();
  await expect(scraped.scrape()).rejects.toThrow("fetch failed");
  await scraped.expectDiagnosis("VirtPlatformDown", "deployment.apps/virt-platform-operator-controller-manager");
  expect(await scraped.mitigate("VirtPlatformDown")).toContain("restarted");
});
