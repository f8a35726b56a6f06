import type { JsonMap, KubeObject } from "@virt/api";
import { at, type Json } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdmissionWebhook, dryRunRefusingWebhook, startWebhook } from "../support/admission-webhook.ts";
import { type FullCluster, now, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { type OperatorOutputs, openOperatorOutputs } from "../support/operator-outputs.ts";
import type { RunningProgram } from "../support/program.ts";

const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const checks = { group: "remediation.medik8s.io", plural: "nodehealthchecks" };
let fullCluster: FullCluster;
let operator: RunningProgram;
let outputs: OperatorOutputs;
let webhook: AdmissionWebhook;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  outputs = await openOperatorOutputs(fullCluster);
  operator = await outputs.start();
  await untilConverged(fullCluster);
  const { server } = fullCluster.testCluster;
  webhook = await startWebhook(
    server,
    dryRunRefusingWebhook(checks, { name: "no-dry-runs", code: 400, message: "it cannot be asked by a dry run" }),
  );
});
afterAll(async () => {
  await webhook[Symbol.asyncDispose]();
  await fullCluster[Symbol.asyncDispose]();
});

const askByDryRun = () =>
  fullCluster.testCluster.server.request({
    method: "PATCH",
    path: `${check}?dryRun=All`,
    body: { metadata: { labels: { asked: "yes" } } },
  });

test("corrects drift in the observed version if a webhook refuses dry runs", async () => {
  await fullCluster.until(async () => expect((await askByDryRun()).status).toBe(400));
  const from = now();
  const edited = await fullCluster.testCluster.server.request({
    method: "PATCH",
    path: `${check}?fieldManager=kubectl-edit`,
    body: { spec: { minHealthy: "10%" } },
  });
  const { resourceVersion } = (edited.body as KubeObject).metadata; // later it may be corrected
  await fullCluster.until(async () => expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("51%"));
  const requests = () => fullCluster.requests(check, from);
  await expect.poll(() => requests().map(({ responseStatus }) => responseStatus?.code)).toEqual([400, 200]);
  const [asked, written] = requests();
  expect(asked?.requestURI).toContain("dryRun=All");
  expect(at(written?.requestObject as Json | undefined, "metadata", "resourceVersion")).toBe(resourceVersion);
});

test("reports a failed dry run and the object as out of sync", async () => {
  await webhook.remove();
  const closed = { name: "closed", code: 422, message: "closed today" };
  await using refusing = await startWebhook(fullCluster.testCluster.server, dryRunRefusingWebhook(checks, closed));
  await fullCluster.until(async () => expect((await askByDryRun()).status).toBe(422));
  await fullCluster.edit(check, { spec: { minHealthy: "10%" } }, "person");
  const reports = () =>
    operator.log.filter((line) => line["reason"] === "ApplyFailed" && line.msg?.includes("closed today"));
  await expect.poll(reports).toHaveLength(1);
  const compliance = async () =>
    (await outputs.series('compliance_status{kind="NodeHealthCheck"')).map((line) => line.split(" ").at(-1));
  await expect.poll(compliance).toEqual(["0"]);
  expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("10%");
  await refusing.remove();
});

test("quotes a webhook's 404 denial and retries the write", async () => {
  const text = 'kubevirts "kubevirt-kubevirt-hyperconverged" not found';
  const denial = { name: "operands", code: 404, message: text };
  await using denying = await startWebhook(fullCluster.testCluster.server, dryRunRefusingWebhook(checks, denial));
  await fullCluster.until(async () => expect((await askByDryRun()).status).toBe(404));
  await fullCluster.edit(check, { spec: { minHealthy: "20%" } }, "person");
  const lastErrors = async () => {
    const { objects = [] } = await outputs.report();
    return (objects as readonly JsonMap[]).map(({ lastError = "" }) => lastError);
  };
  await expect.poll(lastErrors).toContainEqual(expect.stringMatching(/denied the request: kubevirts .* not found$/));
  expect(JSON.stringify(await lastErrors())).not.toContain("modified concurrently");
  await denying.remove();
  await fullCluster.until(async () => expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("51%"));
});
