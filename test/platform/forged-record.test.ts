import { fieldManagers, type JsonMap, managedByLabel } from "@virt/api";
import { appliedBy, isNoFields, readOwners } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { hcoPath } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { plugin } = objectPaths;
const plugins = plugin.slice(0, plugin.lastIndexOf("/"));
const binding =
  "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/virt-platform-operator-overrides";
const platform = sharePlatform({ until: "prepared" });

const isOurs = async () => !isNoFields(appliedBy(readOwners(await platform.read(plugin)), fieldManagers.platform));

test("prune keeps an object whose forged record names the operator as its creator", async () => {
  const { server, install } = platform.testCluster;
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

  await platform.start();
  await platform.until(async () => expect(await isOurs()).toBe(true));
  await platform.annotate(hcoPath, { prune: "true", "enable-observability": "false" });
  await platform.until(async () => expect(await isOurs()).toBe(false));
  expect(await platform.specOf(plugin, "type")).toBe("Monitoring");
});
