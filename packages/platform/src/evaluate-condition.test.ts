import { readHardware, readTopology } from "@virt/cluster";
import { nodeWithRole } from "@virt/cluster/testing/nodes";
import { expect, test } from "vitest";
import { type AssetCondition, annotationIs, anyOf, detected, gate, topologyIs } from "./asset.ts";
import {
  type ConditionFacts,
  type ConditionFinding,
  evaluateCondition,
  evaluateConditions,
} from "./evaluate-condition.ts";
import { readHco } from "./hco-fact.ts";

const nodes = [nodeWithRole(["worker"], { labels: { "feature.node.kubernetes.io/iommu-enabled": "true" } })];
const metadata = {
  name: "kubevirt-hyperconverged",
  annotations: { "platform.kubevirt.io/a": " x ", "platform.kubevirt.io/feature-gates": "On" },
};
const spec = { ksmConfiguration: {}, permittedHostDevices: { pciHostDevices: [] }, uninstallStrategy: "A" };
const facts: ConditionFacts = {
  hco: readHco({ apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged", metadata, spec }, undefined),
  hardware: readHardware(nodes),
  hardwareChanges: [{ name: "usbDevicesPresent", counted: false, seen: true, countsAt: "2026-11-18T21:10:00Z" }],
  topology: readTopology({
    infrastructure: undefined,
    scheduler: undefined,
    nodes,
    crds: new Set(["infrastructures.config.openshift.io"]),
  }),
  images: { tool: "registry/tool" },
};

const met: ConditionFinding = { kind: "met" };
const unmet = (expected: string, actual: string): ConditionFinding => ({ kind: "unmet", expected, actual });
const free = (path: string): AssetCondition => ({ type: "hco-field-unconfigured", path });
const image = (key: string): AssetCondition => ({ type: "image", key });

type Case = { reason: string; condition: AssetCondition; finding: ConditionFinding };

const cases: readonly Case[] = [
  { reason: "an annotation", condition: annotationIs("a"), finding: met },
  { reason: "an annotation with its trimmed value", condition: annotationIs("a", "x"), finding: met },
  {
    reason: "an annotation with another value",
    condition: annotationIs("a", "y"),
    finding: unmet("platform.kubevirt.io/a=y", "x"),
  },
  {
    reason: "a missing annotation",
    condition: annotationIs("b"),
    finding: unmet("platform.kubevirt.io/b present", "absent"),
  },
  { reason: "a feature gate in any case", condition: gate("oN"), finding: met },
  {
    reason: "a missing feature gate",
    condition: gate("Off"),
    finding: unmet("feature gate Off enabled", "not enabled"),
  },
  { reason: "hardware", condition: detected("vfioCapable"), finding: met },
  {
    reason: "missing hardware",
    condition: detected("gpuPresent"),
    finding: unmet("hardware gpuPresent", "not detected"),
  },
  {
    reason: "hardware that does not count yet",
    condition: detected("usbDevicesPresent"),
    finding: unmet(
      "hardware usbDevicesPresent",
      "detected for less than 10 minutes; takes effect at 2026-11-18T21:10:00Z unless it disappears before then",
    ),
  },
  { reason: "topology", condition: topologyIs("isOpenShift"), finding: met },
  { reason: "another topology", condition: topologyIs("isAWS"), finding: unmet("isAWS=true", "isAWS=false") },
  { reason: "an inverted condition", condition: topologyIs("isHCP", "false"), finding: met },
  {
    reason: "an inverted condition that is met",
    condition: topologyIs("isOpenShift", "false"),
    finding: unmet("isOpenShift=false", "isOpenShift=true"),
  },
  { reason: "topology without a value", condition: { type: "topology", field: "isOpenShift" }, finding: met },
  { reason: "an image", condition: image("tool"), finding: met },
  { reason: "a missing image", condition: image("constructor"), finding: unmet("image constructor", "absent") },
  { reason: "an empty map is not configured", condition: free("ksmConfiguration"), finding: met },
  { reason: "a missing value is not configured", condition: free("permittedHostDevices.usbHostDevices"), finding: met },
  {
    reason: "a value is configured",
    condition: free("uninstallStrategy"),
    finding: unmet("uninstallStrategy unconfigured", "configured"),
  },
  {
    reason: "a list is configured",
    condition: free("permittedHostDevices"),
    finding: unmet("permittedHostDevices unconfigured", "configured"),
  },
  { reason: "one of two", condition: anyOf(annotationIs("b"), detected("vfioCapable")), finding: met },
  {
    reason: "none of two",
    condition: anyOf(annotationIs("b"), gate("Off")),
    finding: unmet("platform.kubevirt.io/b present or feature gate Off enabled", "absent, not enabled"),
  },
];

test.each(cases)("$reason", ({ condition, finding }) => {
  expect(evaluateCondition(condition, facts)).toEqual(finding);
});

test.each([
  [{ type: "hardware-detection" }, "hardware-detection condition requires detector field"],
  [{ type: "feature-gate" }, "feature-gate condition requires value field"],
  [{ type: "annotation", key: "" }, "annotation condition requires key field"],
  [{ type: "image" }, "image condition requires key field"],
  [{ type: "hco-field-unconfigured" }, "hco-field-unconfigured condition requires path field"],
  [{ type: "topology" }, "topology condition requires field"],
  [{ type: "topology", field: "masterCount" }, 'topology field "masterCount" is not a boolean'],
  [{ type: "topology", field: "constructor" }, 'topology field "constructor" is not a boolean'],
  [{ type: "moon-phase" }, "unknown condition type: moon-phase"],
  [{ type: "constructor" }, "unknown condition type: constructor"],
  [{ type: "anyOf", of: [] }, "anyOf condition requires of field"],
  [{ type: "anyOf", of: [{ type: "annotation", key: "a" }, { type: "image" }] }, "image condition requires key field"],
])("reports an invalid declaration: %j", (condition, reason) => {
  expect(evaluateCondition(condition as AssetCondition, facts)).toEqual({ kind: "broken", reason });
});

test("the first unmet condition is the reason", () => {
  expect(evaluateConditions([], facts)).toEqual(met);
  expect(evaluateConditions([annotationIs("a"), gate("Off"), annotationIs("b")], facts)).toMatchObject({
    expected: "feature gate Off enabled",
  });
});
