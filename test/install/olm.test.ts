// Installs the bundle on a real API server like OLM: objects, examples and Subscription settings, without admission
// policies.
// @module-tag thorough

import { at, type Json, type KubeObject } from "@virt/objects";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { configClientFor } from "../support/config-client.ts";
import { consolePluginCrd } from "../support/console-plugin-crd.ts";
import { mockCrd } from "../support/test-cluster.ts";
import { csvAnnotations, readBundle } from "./olm/bundle.ts";
import { type InstalledBundle, installBundle, type StartedDeployment } from "./olm/install-bundle.ts";

const bundle = readBundle();
const mocks = ["hyperconvergeds-v1beta1", "kubedeschedulers-v532", "machineconfigs", "machineconfigpools"];
const monitoring = ["servicemonitors", "prometheusrules"];
const remedy = "kubectl apply --server-side -f bundle/admission.yaml";

let server: Server;
let installed: InstalledBundle;
beforeAll(async () => {
  server = await startServer();
  await server.installCrds([...[...mocks, ...monitoring].map(mockCrd), consolePluginCrd()]);
  installed = await installBundle(server, bundle);
  for (const name of ["openshift-cnv", "openshift-kube-descheduler-operator"])
    await server.kubectl("create", "namespace", name);
});
afterAll(() => server.stop());

test("OLM's namespace accepts every object without a warning", () => {
  expect(installed.applied).toMatchObject({ code: 0, stderr: "" });
});

test("every example is a valid object of the CRD", async () => {
  const examples = JSON.parse(csvAnnotations(bundle)["alm-examples"] ?? "") as readonly KubeObject[];
  expect(examples.length).toBeGreaterThan(1);
  const path = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs?dryRun=All&fieldValidation=Strict";
  for (const body of examples) {
    const answer = await server.request({ method: "POST", path, body });
    expect([body.metadata.name, answer.status, at(answer.body as Json, "message")]).toEqual([
      body.metadata.name,
      201,
      undefined,
    ]);
  }
});

const controllers = [
  { controller: "advisor", metric: "kubevirt_advisor_admission_policy_in_force" },
  { controller: "platform", metric: "kubevirt_platform_admission_policy_in_force" },
];
const settings = { VIRT_OPERATOR_REQUIRE_APPROVED_PLAN: "true", VIRT_OPERATOR_ADVERTISE_PROFILES: "false" };

describe.each(controllers)("the $controller controller, configured by a Subscription,", ({ controller, metric }) => {
  const name = `virt-${controller}-operator-controller-manager`;
  const admission = inRepository("bundle", "admission.yaml");
  const valueOf = (value: number) => new RegExp(`^${metric}\\{.*\\} ${value}$`, "m");

  test("warns once at start about missing admission policies, with the command", async () => {
    await server.kubectl("delete", "--ignore-not-found", "-f", admission);
    const { program, readMetrics } = await startUntilTestEnds(name);
    const complaints = () => program.log.filter(({ msg }) => msg === "admission policies are not in force");
    await expect.poll(complaints).toHaveLength(1);
    expect(complaints()).toMatchObject([
      { level: "warn", controller, next: expect.stringContaining(remedy) as string },
    ]);
    await expect.poll(readMetrics).toMatch(valueOf(0));
    await expect
      .poll(() => eventsAbout(`virt-${controller}-operator-`))
      .toContainEqual(expect.stringContaining(remedy));
    program.child.kill("SIGTERM");
    expect(await program.exited).toBe(0);
    expect(complaints()).toHaveLength(1);
  });

  test("finds the admission policies in force after the command", async () => {
    const applied = await server.kubectl("apply", "--server-side", "-f", admission);
    expect(applied).toMatchObject({ code: 0, stderr: "" });
    const { program, readMetrics } = await startUntilTestEnds(name);
    await expect.poll(readMetrics).toMatch(valueOf(1));
    expect(await readMetrics()).not.toMatch(valueOf(0));
    expect(program.log.filter(({ level }) => level === "warn")).not.toContainEqual(
      expect.objectContaining({ msg: "admission policies are not in force" }),
    );
  });

  test("needs no rights beyond the CSV", () => {
    const user = `system:serviceaccount:${installed.namespace}:${name}`;
    const asked = server.audit().filter((entry) => entry.user.username === user);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ responseStatus }) => responseStatus?.code === 403)).toEqual([]);
  });
});

test("the settings of a Subscription override the Deployment", async () => {
  await startUntilTestEnds("virt-advisor-operator-controller-manager");
  const configs = configClientFor(server);
  const options = { loadAware: { enablePSIMetrics: false } };
  await configs.create("load-aware-rebalancing", { action: "Apply", options });
  const held = await configs.until("load-aware-rebalancing", "ReviewRequired");
  expect(held.review).toMatchObject({ reason: "ApprovalRequired" });
  const { stdout } = await server.kubectl("get", "vpconf", "-o", "name");
  expect(stdout).toBe("virtplatformconfig.advisor.kubevirt.io/load-aware-rebalancing\n");
});

async function startUntilTestEnds(deployment: string): Promise<StartedDeployment> {
  const started = await installed.start(deployment, settings);
  onTestFinished(async () => {
    started.program.child.kill("SIGTERM");
    await started.program.exited;
  });
  return started;
}

async function eventsAbout(prefix: string): Promise<readonly string[]> {
  const { body } = await server.request({ path: "/apis/events.k8s.io/v1/namespaces/default/events" });
  const { items } = body as { items: readonly { reason: string; note: string; regarding: { name: string } }[] };
  return items
    .filter(({ reason, regarding }) => reason === "AdmissionPolicyNotInForce" && regarding.name.startsWith(prefix))
    .map(({ note }) => note);
}
