import { at, parseJson } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, now, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { type OperatorOutputs, openOperatorOutputs } from "../support/operator-outputs.ts";
import type { RunningProgram } from "../support/program.ts";

const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const kubelet = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const prefix = "platform.kubevirt.io/";
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

const warnings = (reason: string, from = 0) =>
  operator.log
    .slice(from)
    .flatMap((line) => (line["reason"] === reason && line.level === "warn" ? [line.msg ?? ""] : []));
const drifts = () => warnings("DriftDetected").filter((text) => text.includes("NodeHealthCheck")).length;
const minHealthy = async () => at(await fullCluster.read(check), "spec", "minHealthy");
const invalid = async () =>
  (await outputs.series('invalid_override{kind="NodeHealthCheck"')).map((line) => /type="(\w+)"/.exec(line)?.[1]);

/** Waits until the operator has handled everything earlier in its queue. */
async function untilReconciledElsewhere(): Promise<void> {
  await fullCluster.edit(kubelet, { spec: { kubeletConfig: { maxPods: 7 } } }, `somebody-${Math.random()}`);
  await fullCluster.until(async () =>
    expect(at(await fullCluster.read(kubelet), "spec", "kubeletConfig", "maxPods")).toBe(500),
  );
}

const mistakes = [
  {
    key: "ignore-feilds",
    value: "/spec/minHealthy",
    reason: "UnknownAnnotation",
    says: `did you mean ${prefix}ignore-fields?`,
    type: "annotation",
  },
  {
    key: "autopilot",
    value: "false",
    reason: "UnknownAnnotation",
    says: "only on the HyperConverged",
    type: "annotation",
  },
  { key: "mode", value: "Unmanaged", reason: "InvalidMode", says: "did you mean unmanaged?", type: "mode" },
  { key: "mode", value: "unmanged", reason: "InvalidMode", says: "did you mean unmanaged?", type: "mode" },
  {
    key: "reconcile-paused",
    value: "True",
    reason: "InvalidConfiguration",
    says: "did you mean true?",
    type: "annotation",
  },
  { key: "adopt", value: "yes", reason: "InvalidConfiguration", says: "did you mean true?", type: "annotation" },
  {
    key: "ignore-fields",
    value: "/spec/minHealhty",
    reason: "InvalidIgnoreFields",
    says: "did you mean /spec/minHealthy?",
    type: "ignore",
  },
];

test.for(mistakes)("$key=$value blocks the object and explains the mistake", async (mistake) => {
  const { key, value, reason, says, type } = mistake;
  const driftsBefore = drifts();
  const from = now();
  const said = operator.log.length;
  const annotations = { [`${prefix}${key}`]: value };
  // Uses a new field manager each time, to avoid an edit war.
  await fullCluster.edit(
    check,
    { metadata: { annotations }, spec: { minHealthy: "10%" } },
    `person-${key}-${value.length}`,
  );
  await expect.poll(() => warnings(reason, said).filter((text) => text.includes(says))).not.toEqual([]);
  const reports = warnings(reason, said).find((text) => text.includes(says));
  expect(reports).toContain("NodeHealthCheck virt-node-health-check");
  expect(reports).toContain("left unchanged");
  await untilReconciledElsewhere();
  expect(await minHealthy()).toBe("10%");
  expect(fullCluster.requests(check, from)).toEqual([]);
  await expect.poll(drifts).toBe(driftsBefore + 1);
  await expect.poll(invalid).toEqual([type]);

  await fullCluster.edit(check, { metadata: { annotations: { [`${prefix}${key}`]: null } } }, "person");
  await fullCluster.until(async () => expect(await minHealthy()).toBe("51%"));
  await expect.poll(invalid).toEqual([]);
});

test("a pointer to a released and removed field does not block the object", async () => {
  const pointer = "/spec/stormCooldownDuration";
  const annotations = { [`${prefix}ignore-fields`]: pointer };
  await fullCluster.edit(check, { metadata: { annotations } }, "person");
  await fullCluster.until(async () => {
    const { metadata } = await fullCluster.read(check);
    expect(at(parseJson(metadata.annotations?.[`${prefix}state`] ?? ""), "released")).toEqual([pointer]);
  });
  await fullCluster.edit(check, { spec: { stormCooldownDuration: null } }, "person");
  await fullCluster.edit(check, { spec: { minHealthy: "10%" } }, "somebody-else");
  await fullCluster.until(async () => expect(await minHealthy()).toBe("51%"));
  expect(await invalid()).toEqual([]);
});

test("ignores a switch that is not a boolean and suggests a value", async () => {
  const reports = () => warnings("InvalidConfiguration").filter((text) => text.includes("enable-node-health-check"));
  await fullCluster.edit(
    hco,
    { metadata: { annotations: { [`${prefix}enable-node-health-check`]: "False" } } },
    "person",
  );
  await expect.poll(reports).toHaveLength(1);
  expect(reports()[0]).toContain('must be true or false, not "False"; did you mean false?');
  await fullCluster.edit(hco, { metadata: { annotations: { [`${prefix}enable-node-health-check`]: null } } }, "person");
});

test.for([
  ["yes", "did you mean true?"],
  ["swap-enabel", "did you mean swap-enable?"],
])("reports autopilot=%s with the valid values and a suggestion", async ([value, says]) => {
  const reports = () => warnings("UnknownAssetName").filter((text) => text.includes(`"${value}"`));
  await fullCluster.edit(hco, { metadata: { annotations: { [`${prefix}autopilot`]: value ?? "" } } }, "person");
  await expect.poll(reports).toHaveLength(1);
  expect(reports()[0]).toContain("use true, false or asset names");
  expect(reports()[0]).toContain(says);
  await fullCluster.edit(hco, { metadata: { annotations: { [`${prefix}autopilot`]: null } } }, "person");
});
