// The chart and the installer on a real API server: installed, changed, removed, installed again.

import { inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installerFiles } from "../../../tools/package/installer.ts";
import { readManifests } from "../../../tools/package/manifests.ts";
import { endNamespaces } from "../shipping/namespace-controller.ts";
import { chart, helm, setting } from "./chart/run-helm.ts";

let server: Server;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.stop());

const release = (...args: readonly string[]) =>
  helm([...args, "--namespace", "default"], { KUBECONFIG: server.kubeconfig, HOME: server.folder });

test("helm installs and changes the chart without a warning, and says what comes next", async () => {
  const installed = release("install", "virt-operators", chart);
  expect(installed).toMatchObject({ code: 0, stderr: "" });
  expect(installed.stdout).toContain("kubectl get virtplatformconfigs");
  expect(installed.stdout).toContain("platform.kubevirt.io/autopilot=true");

  const changed = release("upgrade", "virt-operators", chart, ...setting(["platform.enabled=false"]));
  expect(changed).toMatchObject({ code: 0, stderr: "" });
  const { stdout } = await server.kubectl("get", "deployments", "-A", "-o", "name");
  expect(stdout).toBe("deployment.apps/virt-advisor-operator-controller-manager\n");
});

test("helm uninstall takes all but the CRD and the configs, and says so", async () => {
  const sample = inRepository("config", "samples", "loadaware_sample.yaml");
  await expect.poll(() => server.kubectl("apply", "-f", sample)).toMatchObject({ code: 0 });
  const gone = release("uninstall", "virt-operators");
  expect(gone.code).toBe(0);
  expect(gone.stdout).toContain("[CustomResourceDefinition] virtplatformconfigs.advisor.kubevirt.io");
  await endNamespaces(server);
  const ours = await server.kubectl("get", everyKind, "-A", "-l", "app.kubernetes.io/part-of=kubevirt", "-o", "name");
  expect(ours.stdout).toBe("customresourcedefinition.apiextensions.k8s.io/virtplatformconfigs.advisor.kubevirt.io\n");
  expect((await server.kubectl("get", "vpconf", "load-aware-rebalancing")).code).toBe(0);
});

const everyKind =
  "namespaces,customresourcedefinitions,clusterroles,clusterrolebindings,deployments,services,validatingadmissionpolicies,networkpolicies";

test("the installer is applied, deleted and applied again", async () => {
  const file = inRepository("dist", "install.yaml");
  for (let round = 1; round <= 2; round++) {
    expect(await server.kubectl("apply", "--server-side", "--force-conflicts", "-f", file)).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect(await server.kubectl("delete", "--wait=false", "-f", file)).toMatchObject({ code: 0 });
    await endNamespaces(server);
    await expect
      .poll(() => server.kubectl("get", "crd", "virtplatformconfigs.advisor.kubevirt.io"))
      .toMatchObject({ code: 1 });
  }
});

test("the installer names the image that was asked for, and no other", async () => {
  const image = `registry.example/virt@sha256:${"0".repeat(64)}`;
  const text = installerFiles((await readManifests(image)).both).texts["dist/install.yaml"] ?? "";
  expect([...text.matchAll(/ image: (.*)/g)].map(([, name]) => name)).toEqual([image, image]);
});
