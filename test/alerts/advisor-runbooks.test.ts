// @module-tag thorough

import { afterAll, beforeAll, expect, test } from "vitest";
import { mockCrd, startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { runPromtool } from "./promtool.ts";
import { applyDeployment, type ScrapedOperator, startScrapedOperator } from "./scraped-operator.ts";

const name = "load-aware-rebalancing";
const descheduler =
  "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster";
const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const pool = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker";
const inPhase = (phase: string) =>
  new RegExp(`^kubevirt_advisor_config_phase\\{name="${name}",.*phase="${phase}"\\} 1$`, "m");
let testCluster: TestCluster;
let operator: ScrapedOperator;

beforeAll(async () => {
  testCluster = await startTestCluster({ crds: { kubedeschedulers: null, servicemonitors: "servicemonitors" } });
  await testCluster.simulate("no-vms");
  operator = await startScrapedOperator(testCluster);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const edit = async (path: string, body: object) => {
  const answer = await testCluster.server.request({ method: "PATCH", path, body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
};

test("the runbook resolves VirtAdvisorPrerequisiteMissing", async () => {
  await testCluster.configs.until(name, "Ignored");
  await testCluster.configs.edit(name, { action: "DryRun" });
  await operator.expectSeries(inPhase("PrerequisiteFailed"));
  await operator.expectSeries(
    new RegExp(`^kubevirt_advisor_missing_prerequisites\\{name="${name}",kind="KubeDescheduler"\\} 1$`, "m"),
  );
  await operator.expectDiagnosis("VirtAdvisorPrerequisiteMissing", "- KubeDescheduler (operator.openshift.io.v1)");
  await operator.mitigate("VirtAdvisorPrerequisiteMissing");
  await operator.expectSeries(inPhase("Ignored"));
  await operator.expectNoSeries(/^kubevirt_advisor_missing_prerequisites\{/m);
});

test("the runbook resolves VirtAdvisorRolloutStuck", async () => {
  await testCluster.server.installCrds([mockCrd("kubedeschedulers-v532")]);
  await edit(pool, { spec: { paused: true } });
  await testCluster.configs.edit(name, { action: "Apply" });
  const stuck = (value: number) => new RegExp(`^kubevirt_advisor_rollout_stuck\\{name="${name}"\\} ${value}$`, "m");
  const waiting = new RegExp(
    `^kubevirt_advisor_rollout_nodes\\{name="${name}",pool="worker",phase="Waiting"\\} 3$`,
    "m",
  );
  await operator.expectSeries(stuck(1));
  await operator.expectSeries(waiting);
  await operator.expectSeries(
    new RegExp(`^kubevirt_advisor_rollout_findings\\{name="${name}",id="PoolPaused",severity="blocking"\\} 1$`, "m"),
  );
  await operator.expectDiagnosis("VirtAdvisorRolloutStuck", "Pool worker is paused: 3 nodes are pending");
  await operator.mitigate("VirtAdvisorRolloutStuck");
  await operator.expectSeries(inPhase("Completed"));
  await operator.expectSeries(stuck(0));
  await operator.expectNoSeries(/^kubevirt_advisor_rollout_(?:machines|nodes|findings)\{/m);
});

test("the runbook resolves VirtAdvisorReviewWaiting", async () => {
  const forced = (value: number) =>
    new RegExp(`^kubevirt_advisor_config_review_forced\\{name="${name}"\\} ${value}$`, "m");
  await edit(hco, { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 17 } } });
  await operator.expectSeries(forced(1));
  await operator.expectDiagnosis("VirtAdvisorReviewWaiting", /^InputChanged\n/, "parallelMigrationsPerCluster");
  await operator.mitigate("VirtAdvisorReviewWaiting");
  await operator.expectSeries(inPhase("Completed"));
  await operator.expectSeries(forced(0));
});

test("the runbook resolves VirtAdvisorDrifted", async () => {
  const drifted = (value: number) => new RegExp(`^kubevirt_advisor_config_drifted\\{name="${name}"\\} ${value}$`, "m");
  await edit(descheduler, { spec: { mode: "Predictive" } });
  await operator.expectSeries(drifted(1));
  await operator.expectDiagnosis("VirtAdvisorDrifted", 'spec.mode ("Automatic" -> "Predictive")');
  await operator.mitigate("VirtAdvisorDrifted");
  await operator.expectSeries(inPhase("Completed"));
  await operator.expectSeries(drifted(0));
});

test("the runbook resolves VirtAdvisorPlanFailed", async () => {
  await edit(pool, { spec: { paused: true } });
  await testCluster.configs.edit(name, { waitTimeout: "1s", options: { loadAware: { enablePSIMetrics: false } } });
  await operator.expectSeries(inPhase("Failed"));
  await operator.expectDiagnosis("VirtAdvisorPlanFailed", "Timeout waiting for resource to become healthy");
  await operator.mitigate("VirtAdvisorPlanFailed");
  await operator.expectSeries(inPhase("Completed"));
});

test("Prometheus accepts every metric that the advisor exposes in these situations", async () => {
  expect(runPromtool(["check", "metrics"], { input: await operator.scrape() })).toEqual({ code: 0, output: "" });
});

test("the runbook resolves VirtAdvisorDown", async () => {
  await applyDeployment(testCluster, "advisor");
  await operator.expectSeries(/^kubevirt_advisor_leader 1$/m);
  await operator.operator.kill();
  await expect(operator.scrape()).rejects.toThrow("fetch failed");
  await operator.expectDiagnosis("VirtAdvisorDown", "deployment.apps/virt-advisor-operator-controller-manager");
  expect(await operator.mitigate("VirtAdvisorDown")).toContain("restarted");
});
