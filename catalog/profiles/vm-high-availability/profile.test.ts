import { writeYaml } from "@virt/objects";
import { expect, test } from "vitest";
import nodeHealthCheckAsset from "../../assets/node-health-check/asset.ts";
import { renderedAsset } from "../../testing/asset-facts.ts";
import type { AvailabilityFacts } from "./facts.ts";
import type { Options } from "./options.ts";
import profile from "./profile.ts";
import {
  controlPlane,
  factsWith,
  fenceTemplate,
  machineCheck,
  nodesWith,
  templateIn,
  workers,
} from "./testing/facts.ts";

const planned = (options?: Options, changed: Partial<AvailabilityFacts> = {}) =>
  profile.plan(options, factsWith(changed));

function appliedIn(options?: Options, changed: Partial<AvailabilityFacts> = {}, index = 0) {
  const item = planned(options, changed)[index];
  if (item?.operation !== "Apply") throw new Error("the plan does not apply the object");
  return item;
}
const specIn = (options?: Options, changed: Partial<AvailabilityFacts> = {}) =>
  appliedIn(options, changed).desired["spec"];
const warningsIn = (options?: Options, changed: Partial<AvailabilityFacts> = {}) =>
  appliedIn(options, changed).warnings;

test("plans one item with the reviewed fields", () => {
  expect(planned()).toHaveLength(1);
  expect(appliedIn()).toMatchObject({
    name: "configure-node-health-check",
    message:
      "NodeHealthCheck 'virt-node-health-check' will be configured to remediate nodes that are not ready for 300 seconds",
    managedFields: [
      "spec.selector",
      "spec.unhealthyConditions",
      "spec.minHealthy",
      "spec.stormCooldownDuration",
      "spec.remediationTemplate",
    ],
    impact: { create: "Medium", change: "Low" },
  });
});

test.each([
  { reason: "the usual namespace", facts: {} },
  {
    reason: "the other namespace",
    facts: { preferredTemplate: undefined, otherTemplate: templateIn("openshift-operators") },
  },
])("the defaults are the bytes of the platform controller's object: $reason", ({ facts }) => {
  const { preferredTemplate, otherTemplate } = factsWith(facts);
  const asset = renderedAsset(nodeHealthCheckAsset, { preferredTemplate, otherTemplate });
  expect(writeYaml(appliedIn(undefined, facts).desired)).toBe(asset);
  expect(profile.purposes).toEqual([nodeHealthCheckAsset.purpose]);
});

const ready = (status: string, duration: string) => ({ type: "Ready", status, duration });

test("writes the options", () => {
  expect(specIn({ unhealthySeconds: 90, minHealthy: "40%", stormCooldownSeconds: 90 })).toMatchObject({
    minHealthy: "40%",
    stormCooldownDuration: "90s",
    unhealthyConditions: [ready("False", "90s"), ready("Unknown", "90s")],
  });
});

test("writes a number of healthy nodes as a number, which the operator requires", () => {
  expect(specIn({ minHealthy: "2" })).toMatchObject({ minHealthy: 2 });
});

test("does not write a cooldown of 0 seconds", () => {
  expect(specIn({ stormCooldownSeconds: 0 })).not.toHaveProperty("stormCooldownDuration");
  expect(appliedIn({ stormCooldownSeconds: 0 }).managedFields).not.toContain("spec.stormCooldownDuration");
});

const exists = { key: "node-role.kubernetes.io/worker", operator: "Exists" };
const withoutControlPlane = [
  exists,
  { key: "node-role.kubernetes.io/control-plane", operator: "DoesNotExist" },
  { key: "node-role.kubernetes.io/master", operator: "DoesNotExist" },
];
const compactNode = ["worker", ...controlPlane];

test.each([
  { reason: "workers only", options: undefined, nodes: workers(2), selected: withoutControlPlane },
  {
    reason: "all nodes of a compact cluster",
    options: undefined,
    nodes: [compactNode, compactNode],
    selected: [exists],
  },
  {
    reason: "workers only if there is one beside control plane nodes",
    options: undefined,
    nodes: [compactNode, ["worker"]],
    selected: withoutControlPlane,
  },
  {
    reason: "control plane nodes if requested",
    options: { includeControlPlane: true },
    nodes: [compactNode, ["worker"]],
    selected: [exists],
  },
  {
    reason: "no control plane nodes if excluded",
    options: { includeControlPlane: false },
    nodes: [compactNode, compactNode],
    selected: withoutControlPlane,
  },
])("selects $reason", ({ options, nodes, selected }) => {
  expect(specIn(options, nodesWith(...nodes))).toMatchObject({ selector: { matchExpressions: selected } });
});

const selfTemplate = {
  apiVersion: "self-node-remediation.medik8s.io/v1alpha1",
  kind: "SelfNodeRemediationTemplate",
  name: "self-node-remediation-automatic-strategy-template",
  namespace: "openshift-workload-availability",
};
const agentTemplate = {
  apiVersion: "fence-agents-remediation.medik8s.io/v1alpha1",
  kind: "FenceAgentsRemediationTemplate",
  name: "fenceagentsremediationtemplate-default",
  namespace: "openshift-workload-availability",
};
const fencing = { fenceTemplates: [fenceTemplate(), fenceTemplate("ipmi", "bmc")] };

test.each<{ reason: string; options: Options; spec: object; without: string }>([
  {
    reason: "self node remediation",
    options: {},
    spec: { remediationTemplate: selfTemplate },
    without: "escalatingRemediations",
  },
  {
    reason: "fence agents",
    options: { remediation: "FenceAgents" },
    spec: { remediationTemplate: agentTemplate },
    without: "escalatingRemediations",
  },
  {
    reason: "fence agents with another template",
    options: { remediation: "FenceAgents", fenceAgentsTemplate: { name: "ipmi", namespace: "bmc" } },
    spec: { remediationTemplate: { ...agentTemplate, name: "ipmi", namespace: "bmc" } },
    without: "escalatingRemediations",
  },
  {
    reason: "fence agents first, self node remediation second",
    options: { remediation: "FenceAgentsThenSelf" },
    spec: {
      escalatingRemediations: [
        { order: 1, remediationTemplate: agentTemplate, timeout: "5m" },
        { order: 2, remediationTemplate: selfTemplate, timeout: "10m" },
      ],
    },
    without: "remediationTemplate",
  },
])("remediates with $reason", ({ options, spec, without }) => {
  expect(specIn(options, fencing)).toMatchObject(spec);
  expect(specIn(options, fencing)).not.toHaveProperty(without);
  expect(appliedIn(options, fencing).managedFields).toContain(`spec.${Object.keys(spec)[0]}`);
});

const stops = (seconds: number) =>
  `A node that is not ready for ${seconds} seconds is rebooted or fenced; its VMs stop`;
const mayDisable = "MachineHealthCheck 'workers' exists: the Node Health Check Operator may disable the check";
const custom = machineCheck("workers", "Ready");
const termination = machineCheck("machine-api-termination-handler", "Terminating");

test.each<{ reason: string; options?: Options; facts?: Partial<AvailabilityFacts>; warnings: readonly string[] }>([
  { reason: "always about stopped VMs", warnings: [stops(300)] },
  {
    reason: "about slow nodes",
    options: { unhealthySeconds: 59 },
    warnings: [stops(59), "unhealthySeconds below 60 may remediate nodes that are only slow to report"],
  },
  { reason: "not about slow nodes from 60 seconds on", options: { unhealthySeconds: 60 }, warnings: [stops(60)] },
  { reason: "about a MachineHealthCheck", facts: { machineChecks: [custom] }, warnings: [stops(300), mayDisable] },
  {
    reason: "not about the only check of terminated machines",
    facts: { machineChecks: [termination] },
    warnings: [stops(300)],
  },
  {
    reason: "about the other check beside that of terminated machines",
    facts: { machineChecks: [termination, custom] },
    warnings: [stops(300), mayDisable],
  },
  {
    reason: "about a share that needs all nodes",
    facts: nodesWith(...workers(2)),
    warnings: [stops(300), "minHealthy 51% of 2 nodes would never remediate"],
  },
])("warns $reason", ({ options, facts, warnings }) => {
  expect(warningsIn(options, facts)).toEqual(warnings);
});

test.each([
  {
    version: "v1",
    field: "spec.virtualization.evictionStrategy",
    spec: { virtualization: { evictionStrategy: "LiveMigrate" } },
  },
  { version: "v1beta1", field: "spec.evictionStrategy", spec: { evictionStrategy: "LiveMigrate" } },
])("sets the eviction strategy of a HyperConverged $version", ({ version, field, spec }) => {
  const apiVersion = `hco.kubevirt.io/${version}`;
  const hco = { ...factsWith().hco, apiVersion };
  expect(appliedIn({ evictionStrategy: "LiveMigrate" }, { hco }, 1)).toMatchObject({
    name: "set-eviction-strategy",
    managedFields: [field],
    desired: { apiVersion, metadata: { namespace: "openshift-cnv" }, spec },
    warnings: ["New VMs use LiveMigrate; running VMs keep theirs until they restart"],
    impact: { create: "Low", change: "Low" },
  });
});

const inputsOf = (options?: Options, changed: Partial<AvailabilityFacts> = {}) =>
  profile.inputs(options, factsWith(changed)).map(({ name, now, describe }) => [name, now, describe("a", "b")]);

test("depends on the namespace of the self node remediation template", () => {
  const changed = "namespace of SelfNodeRemediationTemplate changed (a -> b)";
  const moved = { preferredTemplate: undefined, otherTemplate: templateIn("openshift-operators") };
  expect(inputsOf()).toEqual([["templateNamespace", "openshift-workload-availability", changed]]);
  expect(inputsOf(undefined, moved)).toEqual([["templateNamespace", "openshift-operators", changed]]);
  expect(inputsOf({ remediation: "FenceAgents" })).toEqual([]);
});

test("depends on the number of nodes only if minHealthy is a number", () => {
  const options: Options = { minHealthy: "2", remediation: "FenceAgents" };
  expect(inputsOf(options)).toEqual([["selectedNodes", "3", "number of selected nodes changed (a -> b)"]]);
});
