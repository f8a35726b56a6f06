import type { JsonMap, KubeObject } from "@virt/api";
import { at, type Json } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdmissionWebhook, dryRunRefusingWebhook, startWebhook } from "../support/admission-webhook.ts";
import { now } from "../support/full-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { check } = objectPaths;
const checks = { group: "remediation.medik8s.io", plural: "nodehealthchecks" };
let webhook: AdmissionWebhook;
const platform = sharePlatform();
beforeAll(async () => {
  const refusal = { name: "no-dry-runs", code: 400, message: "it cannot be asked by a dry run" };
  webhook = await startWebhook(platform.testCluster.server, dryRunRefusingWebhook(checks, refusal));
});
afterAll(() => webhook[Symbol.asyncDispose]());

const askByDryRun = () =>
  platform.testCluster.server.request({
    method: "PATCH",
    path: `${check}?dryRun=All`,
    body: { metadata: { labels: { asked: "yes" } } },
  });

test("corrects drift in the observed version if a webhook refuses dry runs", async () => {
  await platform.until(async () => expect((await askByDryRun()).status).toBe(400));
  const from = now();
  const edited = await platform.testCluster.server.request({
    method: "PATCH",
    path: `${check}?fieldManager=kubectl-edit`,
    body: { spec: { minHealthy: "10%" } },
  });
  const { resourceVersion } = (edited.body as KubeObject).metadata; // later it may be corrected
  await platform.until(async () => expect(at(await platform.read(check), "spec", "minHealthy")).toBe("51%"));
  const requests = () => platform.requests(check, from);
  await expect.poll(() => requests().map(({ responseStatus }) => responseStatus?.code)).toEqual([400, 200]);
  const [asked, written] = requests();
  expect(asked?.requestURI).toContain("dryRun=All");
  expect(at(written?.requestObject as Json | undefined, "metadata", "resourceVersion")).toBe(resourceVersion);
});

test("reports a failed dry run and the object as out of sync", async () => {
  await webhook.remove();
  const closed = { name: "closed", code: 422, message: "closed today" };
  await using refusing = await startWebhook(platform.testCluster.server, dryRunRefusingWebhook(checks, closed));
  await platform.until(async () => expect((await askByDryRun()).status).toBe(422));
  await platform.edit(check, { spec: { minHealthy: "10%" } }, "person");
  await expect.poll(() => platform.reports("ApplyFailed", "closed today")).toHaveLength(1);
  const compliance = async () =>
    (await platform.outputs.series('compliance_status{kind="NodeHealthCheck"')).map((line) => line.split(" ").at(-1));
  await expect.poll(compliance).toEqual(["0"]);
  expect(await platform.specOf(check, "minHealthy")).toBe("10%");
  await refusing.remove();
});

test("quotes a webhook's 404 denial and retries the write", async () => {
  const text = 'kubevirts "kubevirt-kubevirt-hyperconverged" not found';
  const denial = { name: "operands", code: 404, message: text };
  await using denying = await startWebhook(platform.testCluster.server, dryRunRefusingWebhook(checks, denial));
  await platform.until(async () => expect((await askByDryRun()).status).toBe(404));
  await platform.edit(check, { spec: { minHealthy: "20%" } }, "person");
  const lastErrors = async () => {
    const { objects = [] } = await platform.outputs.report();
    return (objects as readonly JsonMap[]).map(({ lastError = "" }) => lastError);
  };
  await expect.poll(lastErrors).toContainEqual(expect.stringMatching(/denied the request: kubevirts .* not found$/));
  expect(JSON.stringify(await lastErrors())).not.toContain("modified concurrently");
  await denying.remove();
  await platform.until(async () => expect(at(await platform.read(check), "spec", "minHealthy")).toBe("51%"));
});
