// A real API server accepts each overlay, and its pods pass the restricted pod security standard.

import { globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeObject } from "@virt/api";
import { assets } from "@virt/catalog";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deploymentsIn, objectsOf, ownNamespaces } from "./manifests.ts";

const hangsAfterMs = 120_000;
const overlays = [
  { overlay: "advisor", activation: [], pods: 1 },
  { overlay: "platform", activation: ["always"], pods: 1 },
  { overlay: "default", activation: ["opt-in"], pods: 2 },
  { overlay: "example-profile", activation: ["opt-in"], pods: 2 },
];

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each(overlays)("config/$overlay", ({ overlay, activation, pods }) => {
  let objects: readonly KubeObject[];
  beforeAll(async () => {
    objects = await objectsOf(server, overlay);
  });

  test("is applied without an error or a warning", { timeout: hangsAfterMs }, async () => {
    const { code, stderr } = await server.kubectl("apply", "-k", inRepository("config", overlay));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("has pods that restricted pod security admits", async () => {
    const deployments = deploymentsIn(objects);
    expect(deployments).toHaveLength(pods);
    for (const { metadata, spec } of deployments) {
      expect(await tried(metadata.namespace, spec.template)).toEqual({ code: 0, stderr: "" });
    }
  });

  test("has read-only pods with no fixed user, limited in memory only", () => {
    for (const { spec } of deploymentsIn(objects)) {
      const { containers } = spec.template.spec;
      const memory = expect.stringMatching(/^\d+Mi$/) as string;
      const cpu = expect.any(String) as string;
      expect(containers).toMatchObject([{ securityContext: { readOnlyRootFilesystem: true } }]);
      expect(containers[0].resources).toEqual({ requests: { cpu, memory }, limits: { memory } });
      expect(JSON.stringify(spec)).not.toMatch(/"runAs(?:User|Group)"|"fsGroup"/);
    }
  });

  test("has the documented activation of the platform controller", () => {
    expect(valuesOf(objects, "VIRT_OPERATOR_ACTIVATION")).toEqual(activation);
  });

  test("lets every controller discover the HyperConverged", () => {
    expect(valuesOf(objects, "VIRT_OPERATOR_HCO_NAMESPACE")).toEqual(Array(pods).fill(""));
  });

  test("has objects in our own namespaces only", () => {
    const namespaces = objects.map(({ kind, metadata }) => (kind === "Namespace" ? metadata.name : metadata.namespace));
    expect(namespaces.filter((name) => name !== undefined && !ownNamespaces.includes(name))).toEqual([]);
  });

  test("labels every object with part-of and version", () => {
    const { version } = JSON.parse(readFileSync(inRepository("package.json"), "utf8")) as { version: string };
    const common = { "app.kubernetes.io/part-of": "kubevirt", "app.kubernetes.io/version": version };
    for (const { metadata } of objects) expect(metadata.labels).toMatchObject(common);
  });
});

function valuesOf(objects: readonly KubeObject[], variable: string) {
  const environments = deploymentsIn(objects).flatMap(({ spec }) => spec.template.spec.containers[0].env);
  return environments.filter(({ name }) => name === variable).map(({ value }) => value);
}

test("pod security refuses a privileged pod", async () => {
  const [deployment] = deploymentsIn(await objectsOf(server, "advisor"));
  if (deployment === undefined) throw new Error("config/advisor has no Deployment");
  const { metadata, spec } = deployment.spec.template;
  const containers = [{ ...spec.containers[0], securityContext: { privileged: true } }];
  const { stderr } = await tried(deployment.metadata.namespace, { metadata, spec: { ...spec, containers } });
  expect(stderr).toContain('violates PodSecurity "restricted');
});

test("config/ creates only our own namespaces", () => {
  const files = globSync(inRepository("config", "**", "*.yaml"));
  const made = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^kind: Namespace\nmetadata:\n {2}name: (.*)$/gm)].map(([, name]) => name),
  );
  expect(new Set(made)).toEqual(new Set(ownNamespaces));
});

// The active platform controller applies these objects itself, so that different values would conflict.
test("the platform's Service and ServiceMonitor equal its assets", async () => {
  const shipped = [...(await objectsOf(server, "platform")), ...(await objectsOf(server, "prometheus/platform"))];
  const own = ["metrics-service", "metrics-servicemonitor"];
  const facts = { ownNamespace: "virt-platform-operator-system" };
  for (const { name, target, render } of assets.filter((asset) => own.includes(asset.name))) {
    const object = shipped.find(({ kind, metadata }) => kind === target.kind && metadata.name === target.name);
    expect({ name, object }).toMatchObject({ name, object: render(facts) });
  }
});

type Template = { readonly metadata: object; readonly spec: object };

async function tried(namespace: string, { metadata, spec }: Template) {
  const file = join(server.folder, "pod.json");
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name: "tried", namespace }, spec };
  await writeFile(file, JSON.stringify(pod));
  const { code, stderr } = await server.kubectl("create", "--dry-run=server", "--filename", file);
  return { code, stderr };
}
