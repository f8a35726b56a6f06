// Conditions are met or not, and say what was expected and what is there.

import { expect, test } from "vitest";
import { annotated, anyOf, type Condition, detected, gate, topologyIs } from "./condition.ts";
import { type ConditionFacts, evaluateCondition, evaluateConditions, type Finding } from "./evaluate-condition.ts";
import { readHardware } from "./hardware.ts";
import { readHco } from "./hco-fact.ts";
import { nodeOf } from "./node-world.ts";
import { readTopology } from "./topology.ts";

const nodes = [nodeOf(["worker"], { labels: { "feature.node.kubernetes.io/iommu-enabled": "true" } })];
const metadata = {
  name: "kubevirt-hyperconverged",
  annotations: { "platform.kubevirt.io/a": " x ", "platform.kubevirt.io/feature-gates": "On" },
};
const spec = { ksmConfiguration: {}, permittedHostDevices: { pciHostDevices: [] }, uninstallStrategy: "A" };
const facts: ConditionFacts = {
  hco: readHco({ apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged", metadata, spec }, undefined),
  hardware: readHardware(nodes),
  topology: readTopology({
    infrastructure: undefined,
    scheduler: undefined,
    nodes,
    crds: new Set(["infrastructures.config.openshift.io"]),
  }),
  images: { tool: "registry/tool" },
};

const met: Finding = { kind: "met" };
const unmet = (expected: string, actual: string): Finding => ({ kind: "unmet", expected, actual });
const free = (path: string): Condition => ({ type: "hco-field-unconfigured", path });
const image = (key: string): Condition => ({ type: "image", key });

type Case = { reason: string; condition: Condition; finding: Finding };

const cases: readonly Case[] = [
  { reason: "an annotation that is there", condition: annotated("a"), finding: met },
  { reason: "with its value, trimmed", condition: annotated("a", "x"), finding: met },
  { reason: "with another value", condition: annotated("a", "y"), finding: unmet("platform.kubevirt.io/a=y", "x") },
  { reason: "one that is not", condition: annotated("b"), finding: unmet("platform.kubevirt.io/b present", "absent") },
  { reason: "a gate, in any case", condition: gate("oN"), finding: met },
  { reason: "no gate", condition: gate("Off"), finding: unmet("feature gate Off enabled", "not enabled") },
  { reason: "hardware", condition: detected("vfioCapable"), finding: met },
  { reason: "no hardware", condition: detected("gpuPresent"), finding: unmet("hardware gpuPresent", "not detected") },
  { reason: "topology", condition: topologyIs("isOpenShift"), finding: met },
  { reason: "no such topology", condition: topologyIs("isAWS"), finding: unmet("isAWS=true", "isAWS=false") },
  { reason: "inverted", condition: topologyIs("isHCP", "false"), finding: met },
  {
    reason: "inverted and not",
    condition: topologyIs("isOpenShift", "false"),
    finding: unmet("isOpenShift=false", "isOpenShift=true"),
  },
  { reason: "topology without value", condition: { type: "topology", field: "isOpenShift" }, finding: met },
  { reason: "an image", condition: image("tool"), finding: met },
  { reason: "no image", condition: image("constructor"), finding: unmet("image constructor", "absent") },
  { reason: "an empty map is unconfigured", condition: free("ksmConfiguration"), finding: met },
  { reason: "so is what is not there", condition: free("permittedHostDevices.usbHostDevices"), finding: met },
  {
    reason: "a value is not",
    condition: free("uninstallStrategy"),
    finding: unmet("uninstallStrategy unconfigured", "configured"),
  },
  {
    reason: "nor is a list",
    condition: free("permittedHostDevices"),
    finding: unmet("permittedHostDevices unconfigured", "configured"),
  },
  { reason: "one of two is enough", condition: anyOf(annotated("b"), detected("vfioCapable")), finding: met },
  {
    reason: "none of two",
    condition: anyOf(annotated("b"), gate("Off")),
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
])("a broken declaration is told: %j", (condition, reason) => {
  expect(evaluateCondition(condition as Condition, facts)).toEqual({ kind: "broken", reason });
});

test("the first condition that is not met is the reason", () => {
  expect(evaluateConditions([], facts)).toEqual(met);
  expect(evaluateConditions([annotated("a"), gate("Off"), annotated("b")], facts)).toMatchObject({
    expected: "feature gate Off enabled",
  });
});
