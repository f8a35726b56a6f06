import { at } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyManifests } from "../support/account.ts";
import { type AdmissionWebhook, fieldSettingWebhook, startWebhook } from "../support/admission-webhook.ts";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { type OperatorOutputs, openOperatorOutputs } from "../support/operator-outputs.ts";
import type { RunningProgram } from "../support/program.ts";

const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const remediation = ["remediation.medik8s.io", "nodehealthchecks"] as const;
let fullCluster: FullCluster;
let operator: RunningProgram;
let outputs: OperatorOutputs;
let webhook: AdmissionWebhook;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  outputs = await openOperatorOutputs(fullCluster);
  operator = await outputs.start();
  await untilConverged(fullCluster);
  webhook = await startWebhook(
    fullCluster.testCluster.server,
    fieldSettingWebhook(...remediation, "/spec/minHealthy", "10%"),
  );
  await fullCluster.until(untilInForce);
});
afterAll(async () => {
  await webhook[Symbol.asyncDispose]();
  await fullCluster[Symbol.asyncDispose]();
});

async function untilInForce(): Promise<void> {
  const body = { metadata: { labels: { asked: "yes" } } };
  const answer = await fullCluster.testCluster.server.request({ method: "PATCH", path: `${check}?dryRun=All`, body });
  if (at(answer.body as Parameters<typeof at>[0], "spec", "minHealthy") !== "10%") throw new Error("not in force yet");
}

const spec = async (field: string) => at(await fullCluster.read(check), "spec", field);
const compliance = async () =>
  (await outputs.series('compliance_status{kind="NodeHealthCheck"')).map((line) => line.split(" ").at(-1));
const reports = (reason: string) => operator.log.flatMap((line) => (line["reason"] === reason ? [line.msg ?? ""] : []));

test("what the API server itself fills in or writes in another form is in sync", async () => {
  await expect.poll(async () => (await outputs.series("compliance_status{")).length).toBe(fullCluster.targets.length);
  const others = (await outputs.series("compliance_status{")).filter((line) => !line.endsWith(" 1"));
  expect(others).toEqual([]);
});

test("a write that a webhook changed is out of sync, with the field and both values", async () => {
  await fullCluster.edit(check, { spec: { stormCooldownDuration: "9m" } }, "person");
  await fullCluster.until(async () => expect(await spec("stormCooldownDuration")).toBe("5m"));
  await expect.poll(() => reports("MutatedByAdmission")).toHaveLength(1);
  expect(reports("MutatedByAdmission")[0]).toContain(
    'The stored NodeHealthCheck virt-node-health-check differs from the applied one: /spec/minHealthy is "10%" (applied: "51%")',
  );
  await expect.poll(compliance).toEqual(["0"]);
  await fullCluster.untilLong(async () => {
    const { objects } = (await outputs.report()) as unknown as { objects: { object: string; lastError?: string }[] };
    const row = objects.find(({ object }) => object === "NodeHealthCheck virt-node-health-check");
    expect(row).toMatchObject({ status: "Failed", lastError: expect.stringContaining("MutatedByAdmission") });
  });
});

test("an operator that starts then knows it, too, without a write", async () => {
  await operator.kill();
  const from = fullCluster.requests(check).length;
  operator = await outputs.start();
  await expect.poll(() => reports("MutatedByAdmission")).toHaveLength(1);
  await expect.poll(compliance).toEqual(["0"]);
  const writes = fullCluster
    .requests(check)
    .slice(from)
    .filter(({ requestURI }) => !requestURI.includes("dryRun=All"));
  expect(writes).toEqual([]);
});

test("it is no fight: other drift is corrected, and nothing is paused", { timeout: 300_000 }, async () => {
  for (const manager of ["a", "b", "c", "d", "e", "f", "g"]) {
    await fullCluster.edit(check, { spec: { stormCooldownDuration: "9m" } }, manager);
    await fullCluster.untilLong(async () => expect(await spec("stormCooldownDuration")).toBe("5m"));
  }
  expect((await fullCluster.read(check)).metadata.annotations?.[objectAnnotations.paused]).toBeUndefined();
  expect(reports("ThrashingDetected")).toEqual([]);
});

test("it is healed when the webhook goes", async () => {
  await webhook.remove();
  await fullCluster.until(async () => expect(await spec("minHealthy")).toBe("51%"));
  await expect.poll(compliance).toEqual(["1"]);
});

const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: setting}
spec:
  matchConstraints:
    resourceRules:
      - {apiGroups: [remediation.medik8s.io], apiVersions: ["*"], operations: [UPDATE], resources: [nodehealthchecks]}
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
    - patchType: JSONPatch
      jsonPatch: {expression: '[JSONPatch{op: "replace", path: "/spec/minHealthy", value: "20%"}]'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: setting}
spec: {policyName: setting}
`;

test("a policy that changes a write is reported like a webhook, and healed when it goes", async () => {
  const { server } = fullCluster.testCluster;
  await applyManifests(server, policy);
  await fullCluster.until(async () => {
    await fullCluster.edit(check, { metadata: { labels: { asked: `${Math.random()}` } } }, "person");
    expect(await spec("minHealthy")).toBe("20%");
  });
  await expect.poll(() => reports("MutatedByAdmission").some((text) => text.includes('"20%"'))).toBe(true);
  await server.kubectl("delete", "mutatingadmissionpolicybinding,mutatingadmissionpolicy", "setting");
  await fullCluster.until(async () => expect(await spec("minHealthy")).toBe("51%"));
  await expect.poll(compliance).toEqual(["1"]);
});
