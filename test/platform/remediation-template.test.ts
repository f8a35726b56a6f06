import { expect, test } from "vitest";
import { objectPaths, type RunningPlatform, sharePlatform } from "../support/running-platform.ts";

const { check, kubelet } = objectPaths;
const group = "self-node-remediation.medik8s.io/v1alpha1";
const [preferred, other] = ["openshift-workload-availability", "openshift-operators"] as const;
const platform = sharePlatform({ prepare: createNamespaces });

async function createNamespaces({ testCluster: { server } }: RunningPlatform): Promise<void> {
  for (const name of [preferred, other, "theirs"]) {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await server.request({ method: "POST", path: "/api/v1/namespaces", body });
  }
}

const home = () => platform.specOf(check, "remediationTemplate", "namespace");
const templates = (namespace: string) => `/apis/${group}/namespaces/${namespace}/selfnoderemediationtemplates`;
const name = "self-node-remediation-automatic-strategy-template";

async function plantTemplate(namespace: string): Promise<void> {
  const body = {
    apiVersion: group,
    kind: "SelfNodeRemediationTemplate",
    metadata: { name },
    spec: { template: { spec: {} } },
  };
  const answer = await platform.testCluster.server.request({ method: "POST", path: templates(namespace), body });
  expect(answer.status).toBe(201);
}

test("ignores a template outside the remediation operator's namespaces", async () => {
  await plantTemplate("theirs");
  await platform.untilCorrected(kubelet);
  expect(await home()).toBe(preferred);
});

test("uses the namespace of the only template", async () => {
  await plantTemplate(other);
  await platform.until(async () => expect(await home()).toBe(other));
});

test("switches to a second template only after the current one is gone", async () => {
  await plantTemplate(preferred);
  await platform.untilCorrected(kubelet);
  expect(await home()).toBe(other);
  await platform.testCluster.server.request({ method: "DELETE", path: `${templates(other)}/${name}` });
  await platform.until(async () => expect(await home()).toBe(preferred));
});
