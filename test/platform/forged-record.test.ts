import { fieldManagers, type JsonMap, managedByLabel } from "@virt/api";
import { appliedBy, at, isNoFields, readOwners } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { inRepository } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, startFullCluster } from "../support/full-cluster.ts";
import { hcoPath } from "../support/platform-cluster.ts";

const plugins = "/apis/observability.openshift.io/v1alpha1/uiplugins";
const plugin = `${plugins}/monitoring`;
const binding =
  "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/virt-platform-operator-overrides";
let fullCluster: FullCluster;

beforeAll(async () => {
  fullCluster = await startFullCluster();
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const isOurs = async () => !isNoFields(appliedBy(readOwners(await fullCluster.read(plugin)), fieldManagers.platform));

test("prune keeps an object whose forged record names the operator as its creator", async () => {
  const { server, install } = fullCluster.testCluster;
  const create = (query: string) => {
    const metadata = {
      name: "monitoring",
      labels: { [managedByLabel.key]: managedByLabel.value },
      annotations: { [objectAnnotations.state]: JSON.stringify({ v: 1, created: true }) },
    };
    const spec: JsonMap = { type: "Monitoring", monitoring: { perses: { enabled: true } } };
    const body = { apiVersion: "observability.openshift.io/v1alpha1", kind: "UIPlugin", metadata, spec };
    return server.request({ method: "POST", path: `${plugins}?fieldManager=kubectl-create${query}`, body });
  };
  expect((await create("&dryRun=All")).status).toBe(403);
  await server.request({ method: "DELETE", path: binding }); // the state before the installation
  await expect.poll(async () => (await create("&dryRun=All")).status).toBe(201);
  expect((await create("")).status).toBe(201);
  await install(inRepository());

  await fullCluster.start();
  await fullCluster.until(async () => expect(await isOurs()).toBe(true));
  const annotations = { "platform.kubevirt.io/prune": "true", "platform.kubevirt.io/enable-observability": "false" };
  await fullCluster.edit(hcoPath, { metadata: { annotations } });
  await fullCluster.until(async () => expect(await isOurs()).toBe(false));
  expect(at(await fullCluster.read(plugin), "spec", "type")).toBe("Monitoring");
});
