// What the runbooks of the advisor's alerts say, done in the situations that the alerts are about.

import { afterAll, beforeAll, expect, test } from "vitest";
import { mockCrd, startWorld, type World } from "../world/world.ts";
import { judge } from "./promtool.ts";
import { deploy, openScene, type Scene } from "./scene.ts";

const name = "load-aware-rebalancing";
const descheduler =
  "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster";
const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const pool = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker";
const inPhase = (phase: string) =>
  new RegExp(`^kubevirt_advisor_config_phase\\{name="${name}",.*phase="${phase}"\\} 1$`, "m");
let world: World;
let scene: Scene;

beforeAll(async () => {
  world = await startWorld({ crds: { kubedeschedulers: null, servicemonitors: "servicemonitors" } });
  await world.simulate("three-workers");
  scene = await openScene(world);
});
afterAll(() => world[Symbol.asyncDispose]());

const edit = async (path: string, body: object) => {
  const answer = await world.server.request({ method: "PATCH", path, body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
};

test("VirtAdvisorPrerequisiteMissing", async () => {
  await world.configs.until(name, "Ignored");
  await world.configs.edit(name, { action: "DryRun" });
  await scene.shows(inPhase("PrerequisiteFailed"));
  await scene.shows(
    new RegExp(`^kubevirt_advisor_missing_prerequisites\\{name="${name}",kind="KubeDescheduler"\\} 1$`, "m"),
  );
  expect(await scene.diagnose("VirtAdvisorPrerequisiteMissing")).toContain(
    "- KubeDescheduler (operator.openshift.io.v1)",
  );
  await scene.mitigate("VirtAdvisorPrerequisiteMissing");
  await scene.shows(inPhase("Ignored"));
  await scene.hides(/^kubevirt_advisor_missing_prerequisites\{/m);
});

test("VirtAdvisorRolloutStuck", async () => {
  await world.server.installCrds([mockCrd("kubedeschedulers-v532")]);
  await edit(pool, { spec: { paused: true } });
  await world.configs.edit(name, { action: "Apply" });
  const machines = (state: string, count: number) =>
    new RegExp(
      `^kubevirt_advisor_rollout_machines\\{name="${name}",.*pool="worker",state="${state}"\\} ${count}$`,
      "m",
    );
  await scene.shows(machines("updated", 0));
  await scene.shows(machines("total", 3));
  expect(await scene.diagnose("VirtAdvisorRolloutStuck")).toContain("MachineConfigPool 'worker' is paused");
  await scene.mitigate("VirtAdvisorRolloutStuck");
  await scene.shows(inPhase("Completed"));
  await scene.hides(/^kubevirt_advisor_rollout_machines\{/m);
});

test("VirtAdvisorReviewWaiting", async () => {
  const forced = (value: number) =>
    new RegExp(`^kubevirt_advisor_config_review_forced\\{name="${name}"\\} ${value}$`, "m");
  await edit(hco, { spec: { liveMigrationConfig: { parallelMigrationsPerCluster: 17 } } });
  await scene.shows(forced(1));
  const told = await scene.diagnose("VirtAdvisorReviewWaiting");
  expect(told).toMatch(/^InputChanged\n/);
  expect(told).toContain("parallelMigrationsPerCluster");
  await scene.mitigate("VirtAdvisorReviewWaiting");
  await scene.shows(inPhase("Completed"));
  await scene.shows(forced(0));
});

test("VirtAdvisorDrifted", async () => {
  const drifted = (value: number) => new RegExp(`^kubevirt_advisor_config_drifted\\{name="${name}"\\} ${value}$`, "m");
  await edit(descheduler, { spec: { mode: "Predictive" } });
  await scene.shows(drifted(1));
  const told = await scene.diagnose("VirtAdvisorDrifted");
  expect(told).toContain('spec.mode ("Automatic" -> "Predictive")');
  await scene.mitigate("VirtAdvisorDrifted");
  await scene.shows(inPhase("Completed"));
  await scene.shows(drifted(0));
});

test("VirtAdvisorPlanFailed", async () => {
  await edit(pool, { spec: { paused: true } });
  await world.configs.edit(name, { waitTimeout: "1s", options: { loadAware: { enablePSIMetrics: false } } });
  await scene.shows(inPhase("Failed"));
  expect(await scene.diagnose("VirtAdvisorPlanFailed")).toContain("Timeout waiting for resource to become healthy");
  await scene.mitigate("VirtAdvisorPlanFailed");
  await scene.shows(inPhase("Completed"));
});

test("Prometheus accepts everything that the advisor tells about all this", async () => {
  expect(judge(["check", "metrics"], { input: await scene.scrape() })).toEqual({ code: 0, said: "" });
});

test("VirtAdvisorDown", async () => {
  await deploy(world, "advisor");
  await scene.shows(/^kubevirt_advisor_leader 1$/m);
  await scene.operator.kill();
  await expect(scene.scrape()).rejects.toThrow("fetch failed");
  expect(await scene.diagnose("VirtAdvisorDown")).toContain("deployment.apps/virt-advisor-operator-controller-manager");
  expect(await scene.mitigate("VirtAdvisorDown")).toContain("restarted");
});
