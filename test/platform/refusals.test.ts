import type { JsonMap } from "@virt/api";
import { asList, at } from "@virt/objects";
import { expect, test } from "vitest";
import { applyManifests } from "../support/account.ts";
import { now } from "../support/full-cluster.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { check, kubelet, descheduler, metallb } = objectPaths;
const platform = sharePlatform();

const say = (path: string, patch: unknown) =>
  platform.annotate(path, { patch: patch === null ? null : JSON.stringify(patch) });
const reports = (reason: string, text: string) => platform.reports(reason, text);
const requests = (path: string, since: string) =>
  platform
    .requests(path, since)
    .map(({ requestURI, responseStatus }) => `${requestURI.includes("dryRun=All")} ${responseStatus?.code}`);
const series = async (name: string, kind: string) => {
  const lines = await platform.outputs.series(`kubevirt_platform_${name}{kind="${kind}"`);
  return lines.map((line) => line.split(" ").at(-1));
};

const nonsense = [{ op: "add", path: "/spec/nonsense", value: 1 }];

test("blocks the object if the API server refuses its patch", async () => {
  const from = now();
  const before = await platform.read(check);
  await say(check, nonsense);
  const words = "Invalid JSON patch for NodeHealthCheck virt-node-health-check: rejected by the API server: ";
  await expect.poll(() => reports("InvalidPatch", words)).toHaveLength(1);
  expect(reports("InvalidPatch", words)[0]).toContain("nonsense");
  expect(reports("ApplyFailed", "node-health-check")).toEqual([]);
  await expect.poll(() => series("invalid_override", "NodeHealthCheck")).toEqual(["1"]);
  await expect.poll(() => requests(check, from)).toEqual([expect.stringMatching(/^true [45]00$/), "true 200"]);
  expect((await platform.read(check))["spec"]).toEqual(before["spec"]);
});

test("sends no requests for a blocked object and reports its drift once", async () => {
  const from = now();
  await platform.edit(check, { metadata: { labels: { team: "theirs" } } });
  await platform.edit(check, { spec: { minHealthy: "10%" } });
  await platform.untilCorrected(kubelet);
  expect(requests(check, from)).toEqual([]);
  expect(await platform.specOf(check, "minHealthy")).toBe("10%");
  await expect
    .poll(() => reports("DriftDetected", "NodeHealthCheck"))
    .toEqual([
      'Drift detected for NodeHealthCheck virt-node-health-check: /spec/minHealthy ("51%" → "10%") changed by "kubectl-edit" (Update)',
    ]);
  await say(check, null);
  await platform.until(async () => expect(await platform.specOf(check, "minHealthy")).toBe("51%"));
  await expect.poll(() => series("invalid_override", "NodeHealthCheck")).toEqual([]);
});

test("names the served version if a patch is for another one", async () => {
  await say(hcoPath, [{ op: "add", path: "/spec/virtualization", value: { evictionStrategy: "None" } }]);
  const words = "Invalid JSON patch for HyperConverged openshift-cnv/kubevirt-hyperconverged: rejected by the API";
  await expect.poll(() => reports("InvalidPatch", words)).toHaveLength(1);
  expect(reports("InvalidPatch", words)[0]).toContain("(the served version is hco.kubevirt.io/v1beta1)");
  await say(hcoPath, null);
});

const specOf = (path: string) => platform.specOf(path);
const lastMembers: readonly { readonly what: string; readonly value: JsonMap }[] = [
  { what: "a value", value: { logLevel: "debug" } },
  { what: "a map", value: { nodeSelector: { rack: "a" } } },
];

test.each(lastMembers)("removes $what with its patch, even if that empties the map", async ({ value }) => {
  await platform.until(async () => expect(await specOf(metallb)).toEqual({}));
  await say(
    metallb,
    Object.entries(value).map(([field, added]) => ({ op: "add", path: `/spec/${field}`, value: added })),
  );
  await platform.until(async () => expect(await specOf(metallb)).toEqual(value));
  const from = now();
  await say(metallb, null);
  await platform.until(async () => expect(await specOf(metallb)).toEqual({}));
  await expect.poll(() => requests(metallb, from)).toEqual(["false 200", "false 200"]);
  expect(reports("ApplyFailed", "MetalLB")).toEqual([]);
  const entry = asList(at(await platform.read(metallb), "metadata", "managedFields")).find(
    (one) => at(one, "manager") === "virt-platform-operator" && at(one, "operation") === "Apply",
  );
  expect(at(entry, "fieldsV1", "f:spec")).toEqual({});
});

test("blames a patch that replaces a valid one, even without other values", async () => {
  await say(metallb, [{ op: "add", path: "/spec/logLevel", value: "debug" }]);
  await platform.until(async () => expect(await specOf(metallb)).toEqual({ logLevel: "debug" }));
  await say(metallb, nonsense);
  const words = "Invalid JSON patch for MetalLB metallb-system/metallb: rejected by the API server: ";
  await expect.poll(() => reports("InvalidPatch", words)).toHaveLength(1);
  expect(reports("ApplyFailed", "MetalLB")).toEqual([]);
  expect(await specOf(metallb)).toEqual({ logLevel: "debug" });
  await say(metallb, null);
  await platform.until(async () => expect(await specOf(metallb)).toEqual({}));
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
  const { server } = platform.testCluster;
  await platform.annotate(descheduler, { "reconcile-paused": "true" });
  await platform.edit(descheduler, { spec: { deschedulingIntervalSeconds: 77 } });
  await applyManifests(server, closed);
  await platform.until(async () => {
    const body = { spec: { deschedulingIntervalSeconds: 78 } };
    expect((await server.request({ method: "PATCH", path: `${descheduler}?dryRun=All`, body })).status).toBe(422);
  });
  const from = now();
  await say(descheduler, [{ op: "add", path: "/metadata/labels/patched", value: "yes" }]);
  await platform.annotate(descheduler, { "reconcile-paused": null });
  await expect.poll(() => reports("ApplyFailed", "the interval is closed")).toHaveLength(1);
  expect(reports("InvalidPatch", "KubeDescheduler")).toEqual([]);
  await expect.poll(() => series("compliance_status", "KubeDescheduler")).toEqual(["0"]);
  await expect.poll(() => requests(descheduler, from)).toEqual(["true 422", "true 422"]);
});
