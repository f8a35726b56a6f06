import { expect, test } from "vitest";
import type { AvailabilityFacts } from "./facts.ts";
import type { Options } from "./options.ts";
import profile from "./profile.ts";
import { checkNamed, controlPlane, factsWith, fenceTemplate, nodesWith, ownCheck, workers } from "./testing/facts.ts";

const needed = (options?: Options) => profile.needs(options).map(({ shown, kind, remedy }) => [kind, shown, remedy]);
const check = ["NodeHealthCheck", "remediation.medik8s.io.v1alpha1", "Install the Node Health Check Operator via OLM"];
const self = [
  "SelfNodeRemediationTemplate",
  "self-node-remediation.medik8s.io.v1alpha1",
  "Install the Self Node Remediation Operator via OLM",
];
const fence = [
  "FenceAgentsRemediationTemplate",
  "fence-agents-remediation.medik8s.io.v1alpha1",
  "Install the Fence Agents Remediation Operator via OLM",
];

test("needs only the operators that the options use", () => {
  expect(needed()).toEqual([check, self]);
  expect(needed({ remediation: "FenceAgents" })).toEqual([check, fence]);
  expect(needed({ remediation: "FenceAgentsThenSelf" })).toEqual([check, self, fence]);
  expect(needed({ enabled: false, remediation: "FenceAgentsThenSelf" })).toEqual([check]);
  expect(needed({ evictionStrategy: "LiveMigrate" }).map(([kind]) => kind)).toContain("HyperConverged");
});

const all = { matchExpressions: [{ key: "node-role.kubernetes.io/worker", operator: "Exists" }] };
const elsewhere = { matchLabels: { "example.com/zone": "none" } };
const taken = {
  kind: "unfit",
  message: "NodeHealthCheck 'nhc-worker-default' already selects 3 of these nodes",
  next: "kubectl delete nodehealthcheck nhc-worker-default, or narrow its selector",
};
const template = { apiVersion: "x", kind: "y", name: "z", namespace: "n" };
const fencing = { fenceTemplates: [fenceTemplate()] };

type Refused = {
  readonly reason: string;
  readonly options?: Options;
  readonly facts?: Partial<AvailabilityFacts>;
  readonly refusal: object | undefined;
};

test.each<Refused>([
  { reason: "plans for three workers", refusal: undefined },
  {
    reason: "refuses a missing fence agents template",
    options: { remediation: "FenceAgentsThenSelf", fenceAgentsTemplate: { name: "ipmi" } },
    facts: { fenceTemplates: [fenceTemplate(), fenceTemplate("ipmi", "elsewhere")] },
    refusal: {
      kind: "absent",
      message: "FenceAgentsRemediationTemplate 'openshift-workload-availability/ipmi' does not exist",
      next: "create it with the credentials of your BMCs",
    },
  },
  { reason: "finds the default template", options: { remediation: "FenceAgents" }, facts: fencing, refusal: undefined },
  {
    reason: "refuses a second check of the nodes",
    facts: { checks: [checkNamed("virt-node-health-check", all), checkNamed("nhc-worker-default", all)] },
    refusal: taken,
  },
  {
    reason: "treats a check without a selector as one of all nodes",
    facts: { checks: [checkNamed("nhc-worker-default")] },
    refusal: taken,
  },
  { reason: "accepts a check of other nodes", facts: { checks: [checkNamed("other", elsewhere)] }, refusal: undefined },
  {
    reason: "refuses a single node",
    facts: nodesWith(...workers(1), controlPlane),
    refusal: {
      kind: "unfit",
      message: "Only 1 node is selected, so its VMs cannot start elsewhere",
      next: "add nodes",
    },
  },
  {
    reason: "refuses a cluster without workers",
    facts: nodesWith(controlPlane),
    refusal: { kind: "unfit", message: "No node is selected, so VMs cannot start elsewhere", next: "add nodes" },
  },
  {
    reason: "refuses a number of healthy nodes that all nodes must reach",
    options: { minHealthy: "3" },
    refusal: { kind: "invalid", message: "minHealthy 3 of 3 nodes would never remediate" },
  },
  {
    reason: "refuses nodes only in a draft",
    options: { minHealthy: "3" },
    facts: { nodeLabels: undefined },
    refusal: undefined,
  },
  { reason: "accepts a smaller number", options: { minHealthy: "2" }, refusal: undefined },
  {
    reason: "refuses an eviction strategy without a HyperConverged",
    options: { evictionStrategy: "LiveMigrate" },
    facts: { hco: { ...factsWith().hco, object: undefined } },
    refusal: {
      kind: "absent",
      message: "HyperConverged 'kubevirt-hyperconverged' does not exist",
      next: "create HyperConverged openshift-cnv/kubevirt-hyperconverged, or set evictionStrategy to Keep",
    },
  },
  {
    reason: "refuses to escalate beside a template of the platform controller",
    options: { remediation: "FenceAgentsThenSelf" },
    facts: {
      ...fencing,
      own: ownCheck({ remediationTemplate: template }, { "virt-platform-operator": ["remediationTemplate"] }),
    },
    refusal: {
      kind: "unfit",
      message:
        "NodeHealthCheck 'virt-node-health-check' has spec.remediationTemplate of virt-platform-operator, which excludes the planned remediation",
      next: "kubectl annotate --overwrite hco kubevirt-hyperconverged -n openshift-cnv platform.kubevirt.io/enable-node-health-check=false && kubectl delete nodehealthcheck virt-node-health-check",
    },
  },
  {
    reason: "refuses a template beside the escalation of another client",
    facts: { own: ownCheck({ escalatingRemediations: [] }, { kubectl: ["escalatingRemediations"] }) },
    refusal: {
      kind: "unfit",
      message:
        "NodeHealthCheck 'virt-node-health-check' has spec.escalatingRemediations of kubectl, which excludes the planned remediation",
      next: "kubectl delete nodehealthcheck virt-node-health-check",
    },
  },
  {
    reason: "replaces its own template",
    options: { remediation: "FenceAgentsThenSelf" },
    facts: {
      ...fencing,
      own: ownCheck(
        { remediationTemplate: template },
        { "virt-advisor-operator-vm-high-availability": ["remediationTemplate"] },
      ),
    },
    refusal: undefined,
  },
  {
    reason: "removes whatever the cluster has",
    options: { enabled: false, minHealthy: "9", remediation: "FenceAgents" },
    facts: { ...nodesWith(), checks: [checkNamed("nhc-worker-default")] },
    refusal: undefined,
  },
])("$reason", ({ options, facts, refusal }) => {
  expect(profile.refuse(options, factsWith(facts))).toEqual(refusal);
});
