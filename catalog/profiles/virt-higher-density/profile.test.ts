import type { PlannedItem } from "@virt/advisor";
import type { JsonMap } from "@virt/api";
import { writeYaml } from "@virt/objects";
import { expect, test } from "vitest";
import profile from "./profile.ts";
import { factsWith, type HcoVersion, hcoWith, noHco } from "./testing/facts.ts";

const versions: readonly HcoVersion[] = ["v1", "v1beta1"];
const yamlOf = (item: PlannedItem | undefined) => (item?.operation === "Apply" ? writeYaml(item.desired) : undefined);
const target = (version: HcoVersion) => ({
  apiVersion: `hco.kubevirt.io/${version}`,
  kind: "HyperConverged",
  name: "kubevirt-hyperconverged",
  namespace: "openshift-cnv",
});
const message = "HyperConverged 'kubevirt-hyperconverged' will be configured with memoryOvercommitPercentage=";

test("without options, swap comes first and the HyperConverged waits for it", () => {
  const [swap, density, ...others] = profile.plan(undefined, factsWith({}));
  expect(others).toEqual([]);
  expect(swap).toMatchObject({
    name: "enable-kubelet-swap",
    message: "MachineConfig '90-worker-kubelet-swap' will be configured to enable kubelet swap",
    target: {
      apiVersion: "machineconfiguration.openshift.io/v1",
      kind: "MachineConfig",
      name: "90-worker-kubelet-swap",
    },
    managedFields: ["spec.config"],
    impact: { create: "High", change: "High" },
  });
  expect(density).toEqual({
    name: "configure-higher-density",
    message: `${message}150 and KSM enabled`,
    operation: "Apply",
    target: target("v1"),
    desired: expect.anything(),
    managedFields: [
      "spec.virtualization.higherWorkloadDensity.memoryOvercommitPercentage",
      "spec.virtualization.ksmConfiguration",
    ],
    warnings: [],
    impact: { create: "Medium", change: "Medium" },
    waitsFor: "enable-kubelet-swap",
  });
  expect(yamlOf(density)).toBe(`apiVersion: hco.kubevirt.io/v1
kind: HyperConverged
metadata:
  name: kubevirt-hyperconverged
  namespace: openshift-cnv
spec:
  virtualization:
    higherWorkloadDensity:
      memoryOvercommitPercentage: 150
    ksmConfiguration:
      nodeLabelSelector: {}
`);
});

test("without swap, lowers the ratio before it removes the swap", () => {
  const [density, swap, ...others] = profile.plan({ enableSwap: false }, factsWith({ hco: hcoWith("v1beta1", {}) }));
  expect(others.map(({ name }) => name)).toEqual(["disable-kubelet-swap-master"]);
  expect(density).toEqual({
    name: "configure-higher-density",
    message: `${message}120`,
    operation: "Apply",
    target: target("v1beta1"),
    desired: expect.anything(),
    managedFields: ["spec.higherWorkloadDensity.memoryOvercommitPercentage"],
    warnings: [],
    impact: { create: "Medium", change: "Medium" },
  });
  expect(yamlOf(density)).toBe(`apiVersion: hco.kubevirt.io/v1beta1
kind: HyperConverged
metadata:
  name: kubevirt-hyperconverged
  namespace: openshift-cnv
spec:
  higherWorkloadDensity:
    memoryOvercommitPercentage: 120
`);
  expect(swap).toEqual({
    name: "disable-kubelet-swap",
    message: "MachineConfig '90-worker-kubelet-swap' will be deleted to disable kubelet swap",
    operation: "Delete",
    target: {
      apiVersion: "machineconfiguration.openshift.io/v1",
      kind: "MachineConfig",
      name: "90-worker-kubelet-swap",
    },
    managedFields: ["spec.config"],
    warnings: [],
    waitsFor: "configure-higher-density",
    impact: "High",
  });
});

test("v1beta1 gets the user's ratio and selector at its paths", () => {
  const nodeLabelSelector = { matchExpressions: [{ key: "ksm", operator: "Exists", values: [] }], matchLabels: {} };
  const given = { memoryToRequestRatio: 200, ksmConfiguration: { enabled: true, nodeLabelSelector } };
  const [, density] = profile.plan(given, factsWith({ hco: hcoWith("v1beta1", {}) }));
  expect(density?.managedFields).toEqual([
    "spec.higherWorkloadDensity.memoryOvercommitPercentage",
    "spec.ksmConfiguration",
  ]);
  expect(yamlOf(density)).toBe(`apiVersion: hco.kubevirt.io/v1beta1
kind: HyperConverged
metadata:
  name: kubevirt-hyperconverged
  namespace: openshift-cnv
spec:
  higherWorkloadDensity:
    memoryOvercommitPercentage: 200
  ksmConfiguration:
    nodeLabelSelector:
      matchExpressions:
      - key: ksm
        operator: Exists
`);
});

test.each([
  {
    reason: "more than 120 percent waits for the swap",
    given: { memoryToRequestRatio: 121 },
    waitsFor: "enable-kubelet-swap",
  },
  { reason: "120 percent does not wait for swap", given: { memoryToRequestRatio: 120 }, waitsFor: undefined },
  { reason: "does not wait for swap that is not planned", given: { enableSwap: false }, waitsFor: undefined },
])("$reason", ({ given, waitsFor }) => {
  const density = profile.plan(given, factsWith({})).find(({ name }) => name === "configure-higher-density");
  expect(density && "waitsFor" in density ? density.waitsFor : undefined).toBe(waitsFor);
});

test("writes the HyperConverged in its own namespace", () => {
  const hco = { ...hcoWith("v1", {}), namespace: "kubevirt-hyperconverged" };
  const [, density] = profile.plan({}, factsWith({ hco }));
  expect(density).toMatchObject({
    target: { namespace: "kubevirt-hyperconverged" },
    desired: { metadata: { namespace: "kubevirt-hyperconverged" } },
  });
});

test("requires MachineConfigs for swap, and the HyperConverged, in this order", () => {
  const shown = (given: JsonMap | undefined) =>
    profile.needs(given).map(({ kind, shown, versions, remedy }) => [kind, shown, versions, remedy]);
  const remedy = "MachineConfig CRD is required for swap configuration (available on OpenShift)";
  const machineConfig = ["MachineConfig", "machineconfiguration.openshift.io.v1", ["v1"], remedy];
  const hco = [
    "HyperConverged",
    "hco.kubevirt.io.v1beta1",
    ["v1", "v1beta1"],
    "Install OpenShift Virtualization via OLM",
  ];
  expect(shown(undefined)).toEqual([machineConfig, hco]);
  expect(shown({ enableSwap: false })).toEqual([hco]);
});

const tooMuch = { kind: "invalid", message: "memoryToRequestRatio > 120 requires enableSwap=true" };

test.each([
  { reason: "accepts no options", given: undefined, refusal: undefined },
  { reason: "accepts disabled swap", given: { enableSwap: false }, refusal: undefined },
  {
    reason: "accepts 120 percent without swap",
    given: { enableSwap: false, memoryToRequestRatio: 120 },
    refusal: undefined,
  },
  {
    reason: "rejects more than 120 percent without swap",
    given: { enableSwap: false, memoryToRequestRatio: 121 },
    refusal: tooMuch,
  },
  { reason: "accepts more with swap", given: { memoryToRequestRatio: 300 }, refusal: undefined },
])("$reason", ({ given, refusal }) => {
  expect(profile.refuse(given, factsWith({}))).toEqual(refusal);
});

const live = {
  higherWorkloadDensity: { memoryOvercommitPercentage: 130 },
  ksmConfiguration: { nodeLabelSelector: {} },
};
const ksmInput = (now: string | undefined) => ({ name: "ksmConfiguration", now, planned: "{}" });
const ratioInput = (now: string | undefined, planned = "150") => ({ name: "memoryOvercommitPercentage", now, planned });

type Depends = { reason: string; values?: JsonMap; given?: JsonMap; inputs: readonly object[] };

const dependencies: readonly Depends[] = [
  { reason: "without options, depends on both values", values: live, inputs: [ksmInput("{}"), ratioInput("130")] },
  { reason: "KSM that is off is empty", values: {}, inputs: [ksmInput(""), ratioInput("100")] },
  {
    reason: "KSM without a selector is off",
    values: { ksmConfiguration: {} },
    inputs: [ksmInput(""), ratioInput("100")],
  },
  {
    reason: "another selector is another value, in canonical form",
    values: { ksmConfiguration: { nodeLabelSelector: { matchLabels: { b: "1", a: "<" } } } },
    inputs: [ksmInput('{"matchLabels":{"a":"\\u003c","b":"1"}}'), ratioInput("100")],
  },
  { reason: "options without KSM do not depend on it", values: live, given: {}, inputs: [ratioInput("130")] },
  {
    reason: "the planned ratio follows the options",
    values: live,
    given: { enableSwap: false },
    inputs: [ratioInput("130", "120")],
  },
  { reason: "a pinned ratio is not an input", values: live, given: { memoryToRequestRatio: 150 }, inputs: [] },
  { reason: "pinned KSM is not an input", values: live, given: { ksmConfiguration: {} }, inputs: [ratioInput("130")] },
  {
    reason: "disabled KSM is not an input",
    values: live,
    given: { ksmConfiguration: { enabled: false } },
    inputs: [ratioInput("130")],
  },
  { reason: "without a HyperConverged, both values are unknown", inputs: [ksmInput(undefined), ratioInput(undefined)] },
];

test.each(dependencies)("$reason", ({ values, given, inputs }) => {
  for (const version of versions) {
    const hco = values === undefined ? noHco(version) : hcoWith(version, values);
    const found = profile.inputs(given, factsWith({ hco })).map(({ name, now, planned }) => ({ name, now, planned }));
    expect(found).toEqual(inputs);
  }
});

test("describes a changed input in the user's terms", () => {
  const [ksm, ratio] = profile.inputs(undefined, factsWith({}));
  expect(ksm?.describe("{}", "")).toBe("HCO KSM configuration changed (was true, now false)");
  expect(ksm?.describe("", "{}")).toBe("HCO KSM configuration changed (was false, now true)");
  expect(ratio?.describe("150", "130")).toBe("HCO memoryOvercommitPercentage changed (150 -> 130)");
});
