// @module-tag thorough

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kubectlMissing } from "../../tools/deploy/kubectl.ts";
import { applyManifests } from "../support/account.ts";
import type { TestCluster } from "../support/test-cluster.ts";
import { startAdvisedCluster } from "./advised-cluster.ts";
import { pasteFailure } from "./pasted-command.ts";
import { chartPastes, toolPastes } from "./tool-pastes.ts";

let testCluster: TestCluster;

const deployment = (namespace: string, name: string) => `apiVersion: v1
kind: Namespace
metadata: {name: ${namespace}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: ${namespace}, name: ${name}}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: main, image: none}]}
`;
const objects = [
  deployment("tools", "crashing"),
  deployment("virt-advisor-operator-system", "virt-advisor-operator-controller-manager"),
  deployment("virt-platform-operator-system", "virt-platform-operator-controller-manager"),
  "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: default, namespace: tools}\n",
  `apiVersion: v1
kind: Pod
metadata: {namespace: tools, name: crashing}
spec: {nodeName: worker-1, containers: [{name: main, image: none}]}
`,
];

beforeAll(async () => {
  testCluster = await startAdvisedCluster({ lacksRights: true });
  const { server } = testCluster;
  await applyManifests(server, objects.join("---\n"));
  const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  for (const name of ["virt-advisor", "virt-platform"]) {
    const path = `/apis/apps/v1/namespaces/${name}-operator-system/deployments/${name}-operator-controller-manager/status`;
    await server.request({ method: "PATCH", path, body: { status } });
  }
});
afterAll(() => testCluster[Symbol.asyncDispose]());

test.each(toolPastes)("`$command` of a tool runs as printed", async (paste) => {
  expect(await pasteFailure(paste, testCluster.server)).toBeUndefined();
});

test.each(chartPastes)("`$command` of the chart's notes runs as printed", async (paste) => {
  expect(await pasteFailure(paste, testCluster.server)).toBeUndefined();
});

test("the printed export puts the kubectl of the build on PATH", () => {
  const printed = "export PATH=$(make controlplane 2>/dev/null | tail -n 1):$PATH";
  expect(kubectlMissing).toContain(`: ${printed}`);
  const { stdout } = spawnSync("sh", ["-c", `${printed}; command -v kubectl`], { encoding: "utf8" });
  expect(stdout).toBe(`${join(testCluster.server.binaries, "kubectl")}\n`);
});
