import type { JsonMap } from "@virt/api";
import { asList, at } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyManifests } from "../support/account.ts";
import { type FullCluster, now, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { type OperatorOutputs, openOperatorOutputs } from "../support/operator-outputs.ts";
import type { RunningProgram } from "../support/program.ts";

const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const kubelet = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
const descheduler =
  "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster";
let fullCluster: FullCluster;
let operator: RunningProgram;
let outputs: OperatorOutputs;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  outputs = await openOperatorOutputs(fullCluster);
  operator = await outputs.start();
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const say = (path: string, patch: unknown) => {
  const text = patch === null ? null : JSON.stringify(patch);
  return fullCluster.edit(path, { metadata: { annotations: { [objectAnnotations.patch]: text } } }, "person");
};
const reports = (reason: string, about: string) =>
  operator.log.flatMap((line) => (line["reason"] === reason && line.msg?.includes(about) ? [line.msg] : []));
const requests = (path: string, since: string) =>
  fullCluster
    .requests(path, since)
    .map(({ requestURI, responseStatus }) => `${requestURI.includes("dryRun=All")} ${responseStatus?.code}`);
const series = async (name: string, kind: string) => {
  const lines = await outputs.series(`kubevirt_autopilot_${name}{kind="${kind}"`);
  return lines.map((line) => line.split(" ").at(-1));
};

/** Waits until the operator has handled everything earlier in its queue. */
async function untilReconciledElsewhere(): Promise<void> {
  await fullCluster.edit(kubelet, { spec: { kubeletConfig: { maxPods: 7 } } }, `somebody-${Math.random()}`);
  await fullCluster.until(async () =>
    expect(at(await fullCluster.read(kubelet), "spec", "kubeletConfig", "maxPods")).toBe(500),
  );
}

const nonsense = [{ op: "add", path: "/spec/nonsense", value: 1 }];

test("blocks the object if the API server refuses its patch", async () => {
  const from = now();
  const before = await fullCluster.read(check);
  await say(check, nonsense);
  const words = "Invalid JSON patch for NodeHealthCheck virt-node-health-check: rejected by the API server: ";
  await expect.poll(() => reports("InvalidPatch", words)).toHaveLength(1);
  expect(reports("InvalidPatch", words)[0]).toContain("nonsense");
  expect(reports("ApplyFailed", "node-health-check")).toEqual([]);
  await expect.poll(() => series("invalid_override", "NodeHealthCheck")).toEqual(["1"]);
  await expect.poll(() => requests(check, from)).toEqual([expect.stringMatching(/^true [45]00$/), "true 200"]);
  expect((await fullCluster.read(check))["spec"]).toEqual(before["spec"]);
});

test("sends no requests for a blocked object and reports its drift once", async () => {
  const from = now();
  await fullCluster.edit(check, { metadata: { labels: { team: "theirs" } } });
  await fullCluster.edit(check, { spec: { minHealthy: "10%" } });
  await untilReconciledElsewhere();
  expect(requests(check, from)).toEqual([]);
  expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("10%");
  await expect
    .poll(() => reports("DriftDetected", "NodeHealthCheck"))
    .toEqual([
      'Drift detected for NodeHealthCheck virt-node-health-check: /spec/minHealthy ("51%" → "10%") changed by "kubectl-edit" (Update)',
    ]);
  await say(check, null);
  await fullCluster.until(async () => expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("51%"));
  await expect.poll(() => series("invalid_override", "NodeHealthCheck")).toEqual([]);
});

test("names the served version if a patch is for another one", async () => {
  await say(hco, [{ op: "add", path: "/spec/virtualization", value: { evictionStrategy: "None" } }]);
  const words = "Invalid JSON patch for HyperConverged openshift-cnv/kubevirt-hyperconverged: rejected by the API";
  await expect.poll(() => reports("InvalidPatch", words)).toHaveLength(1);
  expect(reports("InvalidPatch", words)[0]).toContain("(the served version is hco.kubevirt.io/v1beta1)");
  await say(hco, null);
});

const metallb = "/apis/metallb.io/v1beta1/namespaces/metallb-system/metallbs/metallb";
const specOf = async (path: string) => (await fullCluster.read(path))["spec"];
const lastMembers: readonly { readonly what: string; readonly value: JsonMap }[] = [
  { what: "a value", value: { logLevel: "debug" } },
  { what: "a map", value: { nodeSelector: { rack: "a" } } },
];

test.each(lastMembers)(
  "removes $what with the patch that added it, if nothing else is in its map",
  async ({ value }) => {
    await fullCluster.until(async () => expect(await specOf(metallb)).toEqual({}));
    await say(
      metallb,
      Object.entries(value).map(([field, added]) => ({ op: "add", path: `/spec/${field}`, value: added })),
    );
    await fullCluster.until(async () => expect(await specOf(metallb)).toEqual(value));
    const from = now();
    await say(metallb, null);
    await fullCluster.until(async () => expect(await specOf(metallb)).toEqual({}));
    await expect.poll(() => requests(metallb, from)).toEqual(["false 200", "false 200"]);
    expect(reports("ApplyFailed", "MetalLB")).toEqual([]);
    const entry = asList(at(await fullCluster.read(metallb), "metadata", "managedFields")).find(
      (one) => at(one, "manager") === "virt-platform-operator" && at(one, "operation") === "Apply",
    );
    expect(at(entry, "fieldsV1", "f:spec")).toEqual({});
  },
);

test("blames a patch that replaces a valid one, even in an emptied map", async () => {
  await say(metallb, [{ op: "add", path: "/spec/logLevel", value: "debug" }]);
  await fullCluster.until(async () => expect(await specOf(metallb)).toEqual({ logLevel: "debug" }));
  await say(metallb, nonsense);
  const words = "Invalid JSON patch for MetalLB metallb-system/metallb: rejected by the API server: ";
  await expect.poll(() => reports("InvalidPatch", words)).toHaveLength(1);
  expect(reports("ApplyFailed", "MetalLB")).toEqual([]);
  expect(await specOf(metallb)).toEqual({ logLevel: "debug" });
  await say(metallb, null);
  await fullCluster.until(async () => expect(await specOf(metallb)).toEqual({}));
});

const closed = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: closed}
spec:
  matchConstraints:
    resourceRules:
      - {apiGroups: [operator.openshift.io], apiVersions: ["*"], operations: [UPDATE], resources: [kubedeschedulers]}
  validations: [{expression: "object.spec.deschedulingIntervalSeconds == oldObject.spec.deschedulingIntervalSeconds", message: "the interval is closed"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: closed}
spec: {policyName: closed, validationActions: [Deny]}
`;

test("does not blame the patch if the object is refused without it too", async () => {
  const { server } = fullCluster.testCluster;
  await fullCluster.edit(descheduler, { metadata: { annotations: { [objectAnnotations.paused]: "true" } } });
  await fullCluster.edit(descheduler, { spec: { deschedulingIntervalSeconds: 77 } });
  await applyManifests(server, closed);
  await fullCluster.until(async () => {
    const body = { spec: { deschedulingIntervalSeconds: 78 } };
    expect((await server.request({ method: "PATCH", path: `${descheduler}?dryRun=All`, body })).status).toBe(422);
  });
  const from = now();
  await say(descheduler, [{ op: "add", path: "/metadata/labels/patched", value: "yes" }]);
  await fullCluster.edit(descheduler, { metadata: { annotations: { [objectAnnotations.paused]: null } } });
  await expect.poll(() => reports("ApplyFailed", "the interval is closed")).toHaveLength(1);
  expect(reports("InvalidPatch", "KubeDescheduler")).toEqual([]);
  await expect.poll(() => series("compliance_status", "KubeDescheduler")).toEqual(["0"]);
  await expect.poll(() => requests(descheduler, from)).toEqual(["true 422", "true 422"]);
});
