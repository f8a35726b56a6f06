import { at } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, startFullCluster } from "../support/full-cluster.ts";
import { type OperatorOutputs, openOperatorOutputs } from "../support/operator-outputs.ts";
import type { RunningProgram } from "../support/program.ts";

const checks = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks";
const check = `${checks}/virt-node-health-check`;
const group = "self-node-remediation.medik8s.io/v1alpha1";
let fullCluster: FullCluster;
let operator: RunningProgram;
let outputs: OperatorOutputs;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  outputs = await openOperatorOutputs(fullCluster);
  const template = { apiVersion: group, kind: "SelfNodeRemediationTemplate", name: "theirs", namespace: "theirs" };
  const body = {
    apiVersion: "remediation.medik8s.io/v1alpha1",
    kind: "NodeHealthCheck",
    metadata: { name: "virt-node-health-check" },
    spec: { minHealthy: "10%", selector: {}, remediationTemplate: template },
  };
  await fullCluster.testCluster.server.request({ method: "POST", path: `${checks}?fieldManager=installer`, body });
  operator = await outputs.start();
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const reports = (reason: string) =>
  operator.log.flatMap((line) =>
    line["reason"] === reason && line.msg?.includes("NodeHealthCheck") ? [line.msg] : [],
  );

test("reports each adopted field with both values and its previous owner", async () => {
  await expect.poll(() => reports("Contested")).toHaveLength(1);
  expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("10%");
  await fullCluster.edit(check, { metadata: { annotations: { [objectAnnotations.adopt]: "true" } } }, "person");
  await fullCluster.until(async () => expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("51%"));
  const adopted = async () =>
    (await outputs.events()).flatMap(({ reason, note }) => (reason === "FieldsAdopted" ? [note] : [])).join("\n");
  await expect.poll(adopted).toContain('/spec/minHealthy ("10%" → "51%", previously owned by installer)');
  expect(await adopted()).toContain("/spec/remediationTemplate (");
});
