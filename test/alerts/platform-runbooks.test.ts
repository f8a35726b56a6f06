// What the runbooks of the platform's alerts say, done in the situations that the alerts are about.

import type { KubeObject } from "@virt/api";
import { at } from "@virt/engine";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { applied } from "../world/account.ts";
import { handsOff } from "../world/hands-off.ts";
import { startWorld, type World } from "../world/world.ts";
import { judge } from "./promtool.ts";
import { deploy, openScene, type Scene } from "./scene.ts";

const mocks = ["nodehealthchecks", "selfnoderemediationtemplates", "selfnoderemediations", "servicemonitors"];
const checks = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks";
const check = `${checks}/virt-node-health-check`;
const annotation = (key: string) => `platform.kubevirt.io/${key}`;
const series = (metric: string, more: string, value: number) =>
  new RegExp(
    `^kubevirt_autopilot_${metric}\\{kind="NodeHealthCheck",name="virt-node-health-check",.*${more}\\} ${value}$`,
    "m",
  );
let world: World;
let scene: Scene;

beforeAll(async () => {
  const crds = Object.fromEntries(mocks.map((name) => [name, name]));
  world = await startWorld({ controller: "platform", crds: { ...crds, kubedeschedulers: null } });
  await world.simulate("three-workers");
  const body = {
    apiVersion: "remediation.medik8s.io/v1alpha1",
    kind: "NodeHealthCheck",
    metadata: { name: "virt-node-health-check" },
    spec: { minHealthy: "40%", stormCooldownDuration: "5m" },
  };
  await ok({ method: "POST", path: `${checks}?fieldManager=installer`, body });
  scene = await openScene(world, ["--activation=always"]);
});
afterAll(() => world[Symbol.asyncDispose]());

async function ok(request: Parameters<World["server"]["request"]>[0]): Promise<KubeObject> {
  const { status, body } = await world.server.request(request);
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body as KubeObject;
}
const edit = (body: object, by = "kubectl-edit") => ok({ method: "PATCH", path: `${check}?fieldManager=${by}`, body });
const spec = async (field: string) => at(await ok({ path: check }), "spec", field);
const until = (look: () => Promise<void>) => vi.waitFor(look, { timeout: 90_000, interval: 40 });

test("VirtPlatformContested", async () => {
  await scene.shows(series("contested_fields", "", 1));
  expect(await scene.diagnose("VirtPlatformContested")).toContain("/spec/minHealthy (installer)");
  await scene.mitigate("VirtPlatformContested");
  await scene.hides(/^kubevirt_autopilot_contested_fields\{kind="NodeHealthCheck"/m);
  await until(async () => expect(await spec("minHealthy")).toBe("51%"));
  await scene.shows(series("compliance_status", "", 1));
});

test("VirtPlatformInvalidOverride", async () => {
  await edit({ metadata: { annotations: { [annotation("patch")]: "[{" } } });
  await scene.shows(series("invalid_override", 'type="patch"', 1));
  const told = await scene.diagnose("VirtPlatformInvalidOverride");
  expect(told).toContain("Invalid JSON patch for NodeHealthCheck//virt-node-health-check");
  await scene.mitigate("VirtPlatformInvalidOverride");
  await scene.hides(/^kubevirt_autopilot_invalid_override\{/m);
  await until(async () => expect(await spec("minHealthy")).toBe("51%"));
});

test("VirtPlatformThrashingDetected", { timeout: 120_000 }, async () => {
  const insist = () => edit({ spec: { stormCooldownDuration: "9m" } }, "stubborn");
  await until(async () => {
    if ((await spec("stormCooldownDuration")) !== "9m") await insist();
    expect(await scene.scrape()).toMatch(series("paused_resources", 'reason="edit-war"', 1));
  });
  expect(await scene.diagnose("VirtPlatformThrashingDetected")).toContain("stubborn");
  await scene.mitigate("VirtPlatformThrashingDetected");
  await scene.shows(series("paused_resources", 'reason="edit-war"', 0));
});

test("VirtPlatformSyncFailed", async () => {
  await applied(world.server, handsOff({ group: "remediation.medik8s.io", resource: "nodehealthchecks" }));
  // The policy is in force a moment after it was made: until then the operator corrects.
  await until(async () => {
    if ((await spec("minHealthy")) === "51%") await edit({ spec: { minHealthy: "40%" } }, "somebody");
    expect(await scene.scrape()).toMatch(series("compliance_status", "", 0));
  });
  expect(await scene.diagnose("VirtPlatformSyncFailed")).toContain("hands off");
  await scene.mitigate("VirtPlatformSyncFailed");
  await scene.hides(/^kubevirt_autopilot_compliance_status\{kind="NodeHealthCheck"/m);
  await ok({ method: "DELETE", path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/hands-off" });
  await edit({ spec: { minHealthy: "51%" }, metadata: { annotations: { [annotation("mode")]: null } } });
  await scene.shows(series("compliance_status", "", 1));
});

test("VirtPlatformDependencyMissing", async () => {
  const missing = /^kubevirt_autopilot_missing_dependency\{.*kind="KubeDescheduler"\} 1$/m;
  const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
  const body = { metadata: { annotations: { [annotation("enable-loadaware")]: "true" } } };
  await ok({ method: "PATCH", path: hco, body });
  await scene.shows(missing);
  expect(await scene.diagnose("VirtPlatformDependencyMissing")).toContain("kubedeschedulers.operator.openshift.io");
  await scene.mitigate("VirtPlatformDependencyMissing");
  await scene.hides(missing);
});

test("VirtPlatformTombstoneStuck", async () => {
  // This release has no tombstone, so an object in the place of one.
  const path = "/api/v1/namespaces/virt-platform-operator-system/configmaps";
  const body = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "old-settings", finalizers: ["example.com/hold"] },
  };
  await ok({ method: "POST", path, body });
  expect(await scene.diagnose("VirtPlatformTombstoneStuck")).toContain("example.com/hold");
  expect(await scene.mitigate("VirtPlatformTombstoneStuck")).toContain("deleted");
});

test("Prometheus accepts everything that the platform controller tells about all this", async () => {
  expect(judge(["check", "metrics"], { input: await scene.scrape() })).toEqual({ code: 0, said: "" });
});

test("VirtPlatformDown", async () => {
  await deploy(world, "platform");
  await scene.shows(/^kubevirt_autopilot_leader 1$/m);
  await scene.operator.kill();
  await expect(scene.scrape()).rejects.toThrow("fetch failed");
  expect(await scene.diagnose("VirtPlatformDown")).toContain(
    "deployment.apps/virt-platform-operator-controller-manager",
  );
  expect(await scene.mitigate("VirtPlatformDown")).toContain("restarted");
});
