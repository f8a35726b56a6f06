import { at } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";

const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const kubelet = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
const group = "self-node-remediation.medik8s.io/v1alpha1";
const [preferred, other] = ["openshift-workload-availability", "openshift-operators"] as const;
let fullCluster: FullCluster;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  for (const name of [preferred, other, "theirs"]) {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await fullCluster.testCluster.server.request({ method: "POST", path: "/api/v1/namespaces", body });
  }
  await fullCluster.start();
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const home = async () => at(await fullCluster.read(check), "spec", "remediationTemplate", "namespace");
const templates = (namespace: string) => `/apis/${group}/namespaces/${namespace}/selfnoderemediationtemplates`;
const name = "self-node-remediation-automatic-strategy-template";

async function plantTemplate(namespace: string): Promise<void> {
  const body = {
    apiVersion: group,
    kind: "SelfNodeRemediationTemplate",
    metadata: { name },
    spec: { template: { spec: {} } },
  };
  const answer = await fullCluster.testCluster.server.request({ method: "POST", path: templates(namespace), body });
  expect(answer.status).toBe(201);
}

/** Waits until the operator has handled everything earlier in its queue. */
async function untilReconciledElsewhere(): Promise<void> {
  await fullCluster.edit(kubelet, { spec: { kubeletConfig: { maxPods: 7 } } }, `somebody-${Math.random()}`);
  await fullCluster.until(async () =>
    expect(at(await fullCluster.read(kubelet), "spec", "kubeletConfig", "maxPods")).toBe(500),
  );
}

test("ignores a template outside the remediation operator's namespaces", async () => {
  await plantTemplate("theirs");
  await untilReconciledElsewhere();
  expect(await home()).toBe(preferred);
});

test("uses the namespace of the only template", async () => {
  await plantTemplate(other);
  await fullCluster.until(async () => expect(await home()).toBe(other));
});

test("switches to a second template only after the current one is gone", async () => {
  await plantTemplate(preferred);
  await untilReconciledElsewhere();
  expect(await home()).toBe(other);
  await fullCluster.testCluster.server.request({ method: "DELETE", path: `${templates(other)}/${name}` });
  await fullCluster.until(async () => expect(await home()).toBe(preferred));
});
