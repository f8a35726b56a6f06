import { at } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyManifests } from "../support/account.ts";
import { type AdmissionWebhook, fieldSettingWebhook, startWebhook } from "../support/admission-webhook.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { check } = objectPaths;
const remediation = ["remediation.medik8s.io", "nodehealthchecks"] as const;
let webhook: AdmissionWebhook;
const platform = sharePlatform();
beforeAll(async () => {
  const options = fieldSettingWebhook(...remediation, "/spec/minHealthy", "10%");
  webhook = await startWebhook(platform.testCluster.server, options);
  await platform.until(untilInForce);
});
afterAll(() => webhook[Symbol.asyncDispose]());

async function untilInForce(): Promise<void> {
  const body = { metadata: { labels: { asked: "yes" } } };
  const answer = await platform.testCluster.server.request({ method: "PATCH", path: `${check}?dryRun=All`, body });
  if (at(answer.body as Parameters<typeof at>[0], "spec", "minHealthy") !== "10%") throw new Error("not in force yet");
}

const spec = (field: string) => platform.specOf(check, field);
const compliance = async () =>
  (await platform.outputs.series('compliance_status{kind="NodeHealthCheck"')).map((line) => line.split(" ").at(-1));
const reports = (reason: string) => platform.reports(reason);

test("objects with server defaults and normalized values are in sync", async () => {
  await expect
    .poll(async () => (await platform.outputs.series("compliance_status{")).length)
    .toBe(platform.targets.length);
  const others = (await platform.outputs.series("compliance_status{")).filter((line) => !line.endsWith(" 1"));
  expect(others).toEqual([]);
});

test("reports a write changed by a webhook with the field and both values", async () => {
  await platform.edit(check, { spec: { stormCooldownDuration: "9m" } }, "person");
  await platform.until(async () => expect(await spec("stormCooldownDuration")).toBe("5m"));
  await expect.poll(() => reports("MutatedByAdmission")).toHaveLength(1);
  expect(reports("MutatedByAdmission")[0]).toContain(
    'The stored NodeHealthCheck virt-node-health-check differs from the applied one: /spec/minHealthy is "10%" (applied: "51%")',
  );
  await expect.poll(compliance).toEqual(["0"]);
  await platform.untilLong(async () => {
    const { objects } = (await platform.outputs.report()) as unknown as {
      objects: { object: string; lastError?: string }[];
    };
    const row = objects.find(({ object }) => object === "NodeHealthCheck virt-node-health-check");
    expect(row).toMatchObject({ status: "Failed", lastError: expect.stringContaining("MutatedByAdmission") });
  });
});

test("a restarted operator detects the changed write without writing", async () => {
  await platform.operator.kill();
  const from = platform.requests(check).length;
  await platform.start();
  await expect.poll(() => reports("MutatedByAdmission")).toHaveLength(1);
  await expect.poll(compliance).toEqual(["0"]);
  const writes = platform
    .requests(check)
    .slice(from)
    .filter(({ requestURI }) => !requestURI.includes("dryRun=All"));
  expect(writes).toEqual([]);
});

test("corrects other drift and does not pause while the webhook interferes", { timeout: 300_000 }, async () => {
  for (const manager of ["a", "b", "c", "d", "e", "f", "g"]) {
    await platform.edit(check, { spec: { stormCooldownDuration: "9m" } }, manager);
    await platform.untilLong(async () => expect(await spec("stormCooldownDuration")).toBe("5m"));
  }
  expect((await platform.read(check)).metadata.annotations?.[objectAnnotations.paused]).toBeUndefined();
  expect(reports("ThrashingDetected")).toEqual([]);
});

test("restores the field after the webhook is removed", async () => {
  await webhook.remove();
  await platform.until(async () => expect(await spec("minHealthy")).toBe("51%"));
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

test("reports a mutating policy like a webhook and recovers after its removal", async () => {
  const { server } = platform.testCluster;
  await applyManifests(server, policy);
  await platform.until(async () => {
    await platform.edit(check, { metadata: { labels: { asked: `${Math.random()}` } } }, "person");
    expect(await spec("minHealthy")).toBe("20%");
  });
  await expect.poll(() => reports("MutatedByAdmission").some((text) => text.includes('"20%"'))).toBe(true);
  await server.kubectl("delete", "mutatingadmissionpolicybinding,mutatingadmissionpolicy", "setting");
  await platform.until(async () => expect(await spec("minHealthy")).toBe("51%"));
  await expect.poll(compliance).toEqual(["1"]);
});
