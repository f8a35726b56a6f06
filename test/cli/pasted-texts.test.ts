// @module-tag thorough

import { startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyManifests } from "../support/account.ts";
import type { TestCluster } from "../support/test-cluster.ts";
import { startAdvisedCluster } from "./advised-cluster.ts";
import { controllerPastes, mutatorCommands } from "./controller-pastes.ts";
import { pasteCommand, pasteFailure } from "./pasted-command.ts";

const objects = `apiVersion: operator.openshift.io/v1
kind: KubeDescheduler
metadata: {name: cluster, namespace: openshift-kube-descheduler-operator}
spec: {managementState: Managed, profileCustomizations: {devLowNodeUtilizationThresholds: Low}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: wasp-agent, namespace: default} # elsewhere the simulator deletes it, as the HyperConverged operator does
spec:
  selector: {matchLabels: {app: wasp-agent}}
  template:
    metadata: {labels: {app: wasp-agent}}
    spec: {containers: [{name: main, image: none}]}
---
apiVersion: remediation.medik8s.io/v1alpha1
kind: NodeHealthCheck
metadata: {name: nhc-worker}
`;
let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startAdvisedCluster({ lacksRights: true, crds: { nodehealthchecks: "nodehealthchecks" } });
  await applyManifests(testCluster.server, objects);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

test.each(controllerPastes)("`$command` runs as printed", async (paste) => {
  expect(await pasteFailure(paste, testCluster.server)).toBeUndefined();
});

test("lists webhooks on an API server without MutatingAdmissionPolicies", async () => {
  await using server = await startServer({ emulatedVersion: "1.33" });
  const [webhooks = "", policies = ""] = mutatorCommands;
  expect(await pasteCommand(webhooks, server)).toEqual({ code: 0, printed: "No resources found\n" });
  const missing = { code: 1, printed: expect.stringContaining("doesn't have a resource type") as string };
  expect(await pasteCommand(policies, server)).toEqual(missing);
  expect(await pasteCommand(`${webhooks},mutatingadmissionpolicies`, server)).toEqual(missing);
});
