// @module-tag thorough

import type { JsonMap } from "@virt/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { edit, loadAware, paths } from "../support/advisor.ts";
import { withoutPsi } from "../support/advisor-suite.ts";
import { mockCrd, startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { applyDeployment, type ScrapedOperator, startScrapedOperator } from "./scraped-operator.ts";

const series = (metric: string, labels: string, value: number) =>
  new RegExp(`^kubevirt_advisor_${metric}\\{name="${loadAware}"${labels}\\} ${value}$`, "m");
const inPhase = (phase: string) => series("config_phase", `,.*phase="${phase}"`, 1);
let testCluster: TestCluster;
let operator: ScrapedOperator;

beforeAll(async () => {
  testCluster = await startTestCluster({ crds: { kubedeschedulers: null, servicemonitors: "servicemonitors" } });
  await testCluster.simulate("no-vms");
  operator = await startScrapedOperator(testCluster);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const change = (path: string, spec: JsonMap) => edit(testCluster.server, path, { spec });

test("the runbook resolves VirtAdvisorPrerequisiteMissing", async () => {
  await testCluster.configs.until(loadAware, "Ignored");
  await testCluster.configs.edit(loadAware, { action: "DryRun" });
  await operator.expectSeries(inPhase("PrerequisiteFailed"));
  await operator.expectSeries(series("missing_prerequisites", ',kind="KubeDescheduler"', 1));
  await operator.expectDiagnosis("VirtAdvisorPrerequisiteMissing", "- KubeDescheduler (operator.openshift.io.v1)");
  await operator.mitigate("VirtAdvisorPrerequisiteMissing");
  await operator.expectSeries(inPhase("Ignored"));
  await operator.expectNoSeries(/^kubevirt_advisor_missing_prerequisites\{/m);
});

test("the runbook resolves VirtAdvisorRolloutStuck", async () => {
  await testCluster.server.installCrds([mockCrd("kubedeschedulers-v532")]);
  await change(paths.pool("worker"), { paused: true });
  await testCluster.configs.edit(loadAware, { action: "Apply" });
  await operator.expectSeries(series("rollout_stuck", "", 1));
  await operator.expectSeries(series("rollout_nodes", ',pool="worker",phase="Waiting"', 3));
  await operator.expectSeries(series("rollout_findings", ',id="PoolPaused",severity="blocking"', 1));
  await operator.expectDiagnosis(
    "VirtAdvisorRolloutStuck",
    "Pool worker is paused: 3 nodes are waiting for their update",
  );
  await operator.mitigate("VirtAdvisorRolloutStuck");
  await operator.expectSeries(inPhase("Completed"));
  await operator.expectSeries(series("rollout_stuck", "", 0));
  await operator.expectNoSeries(/^kubevirt_advisor_rollout_(?:machines|nodes|findings)\{/m);
});

test("the runbook resolves VirtAdvisorReviewWaiting", async () => {
  await change(paths.hco, { liveMigrationConfig: { parallelMigrationsPerCluster: 17 } });
  await operator.expectSeries(series("config_review_forced", "", 1));
  await operator.expectDiagnosis("VirtAdvisorReviewWaiting", /^InputChanged\n/, "parallelMigrationsPerCluster");
  await operator.mitigate("VirtAdvisorReviewWaiting");
  await operator.expectSeries(inPhase("Completed"));
  await operator.expectSeries(series("config_review_forced", "", 0));
});

test("the runbook resolves VirtAdvisorDrifted", async () => {
  await change(paths.descheduler, { mode: "Predictive" });
  await operator.expectSeries(series("config_drifted", "", 1));
  await operator.expectDiagnosis("VirtAdvisorDrifted", 'spec.mode ("Automatic" -> "Predictive")');
  await operator.mitigate("VirtAdvisorDrifted");
  await operator.expectSeries(inPhase("Completed"));
  await operator.expectSeries(series("config_drifted", "", 0));
});

test("the runbook resolves VirtAdvisorPlanFailed", async () => {
  await change(paths.pool("worker"), { paused: true });
  await testCluster.configs.edit(loadAware, { waitTimeout: "1s", options: withoutPsi });
  await operator.expectSeries(inPhase("Failed"));
  await operator.expectDiagnosis("VirtAdvisorPlanFailed", "Timeout waiting for resource to become healthy");
  await operator.mitigate("VirtAdvisorPlanFailed");
  await operator.expectSeries(inPhase("Completed"));
});

test("the runbook resolves VirtAdvisorDown", async () => {
  await applyDeployment(testCluster, "advisor");
  await operator.expectSeries(/^kubevirt_advisor_leader 1$/m);
  await operator.operator.kill();
  await expect(operator.scrape()).rejects.toThrow("fetch failed");
  await operator.expectDiagnosis("VirtAdvisorDown", "deployment.apps/virt-advisor-operator-controller-manager");
  expect(await operator.mitigate("VirtAdvisorDown")).toContain("restarted");
});
