import { at, type Json, type KubeObject } from "@virt/objects";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anyImage, readManifests } from "../../../tools/package/manifests.ts";
import { consolePluginCrd } from "../../support/console-plugin-crd.ts";

let server: Server;
let objects: readonly KubeObject[];

beforeAll(async () => {
  server = await startServer();
  await server.installCrds([consolePluginCrd()]);
  ({ console: objects } = await readManifests(anyImage));
});
afterAll(() => server.stop());

test("kubectl applies config/console to a restricted namespace without a warning", async () => {
  const namespace = inRepository("config", "manager", "advisor", "namespace.yaml");
  expect(await server.kubectl("apply", "--server-side", "-f", namespace)).toMatchObject({ code: 0 });
  const folder = inRepository("config", "console");
  const applied = await server.kubectl("apply", "--server-side", "--validate=strict", "-k", folder);
  expect(applied).toMatchObject({ code: 0, stderr: "" });
});

test("the ConsolePlugin references the Service and its port", async () => {
  const { body } = await server.request({ path: "/apis/console.openshift.io/v1/consoleplugins/virt-advisor" });
  const service = objects.find(({ kind }) => kind === "Service");
  expect(at(body as Json, "spec", "backend")).toEqual({
    type: "Service",
    service: { name: service?.metadata.name, namespace: service?.metadata.namespace, port: 9443, basePath: "/" },
  });
  expect(at(service, "spec", "ports")).toMatchObject([{ port: 9443 }]);
});

test("contains no accounts or rights, and its pod has no token", () => {
  expect(objects.map(({ kind }) => kind).toSorted()).toEqual([
    "ConsolePlugin",
    "Deployment",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "Service",
  ]);
  const deployment = objects.find(({ kind }) => kind === "Deployment");
  const pod = at(deployment, "spec", "template", "spec");
  expect([at(pod, "automountServiceAccountToken"), at(pod, "serviceAccountName")]).toEqual([false, undefined]);
});
