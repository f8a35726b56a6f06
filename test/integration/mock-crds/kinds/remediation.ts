import type { Field, Subject } from "../subject.ts";
import {
  conditionFields,
  fullCondition,
  reference,
  referenceFields,
  referencePaths,
  selector,
  selectorFields,
  selectorPaths,
  time,
} from "./parts.ts";

const durations = { good: ["5m", "1h30m", "0.5s", "10µs"], bad: ["300", "-5m", "", "five minutes"] };
const shares = { isIntOrString: true, good: [1, "100%", "7"], bad: ["101%", "half", "-1", ""] };
const unhealthy = { type: "Ready", status: "False", duration: "300s" };

const nodeHealthCheck: Subject = {
  title: "a NodeHealthCheck",
  mock: "nodehealthchecks.yaml",
  genuine: [{ file: "operators/nodehealthchecks.remediation.medik8s.io.yaml" }],
  mentioned: {
    "profiles.md 4.1": [
      "spec.escalatingRemediations[].order",
      "spec.escalatingRemediations[].timeout",
      ...referencePaths("spec.escalatingRemediations[].remediationTemplate"),
      "status.conditions[].type",
    ],
    "platform.md 4.5": [
      "spec.minHealthy",
      "spec.stormCooldownDuration",
      ...selectorPaths("spec.selector"),
      "spec.unhealthyConditions",
      "spec.unhealthyConditions[].type",
      "spec.unhealthyConditions[].status",
      "spec.unhealthyConditions[].duration",
      "spec.remediationTemplate.apiVersion",
      "spec.remediationTemplate.kind",
      "spec.remediationTemplate.name",
      "spec.remediationTemplate.namespace",
    ],
  },
  sample: {
    apiVersion: "remediation.medik8s.io/v1alpha1",
    kind: "NodeHealthCheck",
    metadata: { name: "virt-node-health-check" },
    spec: {
      minHealthy: "51%",
      maxUnhealthy: "49%",
      stormCooldownDuration: "5m",
      selector,
      unhealthyConditions: [unhealthy, { ...unhealthy, status: "Unknown" }],
      remediationTemplate: reference,
      escalatingRemediations: [{ order: 1, timeout: "5m", remediationTemplate: reference }],
    },
    status: {
      phase: "Enabled",
      reason: "a",
      observedNodes: 3,
      healthyNodes: 3,
      unhealthyNodes: [{ name: "worker-0", remediations: [{ started: time, resource: reference }] }],
      conditions: [fullCondition],
    },
  },
  fields: [
    { path: "spec", good: [{}] },
    { path: "spec.minHealthy", ...shares },
    { path: "spec.maxUnhealthy", ...shares },
    { path: "spec.stormCooldownDuration", ...durations },
    ...selectorFields("spec.selector"),
    { path: "spec.unhealthyConditions", good: [[]], bad: [[unhealthy, unhealthy]] },
    { path: "spec.unhealthyConditions[].type", isRequired: true, bad: [""] },
    { path: "spec.unhealthyConditions[].status", isRequired: true, bad: [""] },
    { path: "spec.unhealthyConditions[].duration", isRequired: true, ...durations },
    ...referenceFields("spec.remediationTemplate"),
    { path: "spec.escalatingRemediations", good: [[]] },
    { path: "spec.escalatingRemediations[].order", isRequired: true },
    { path: "spec.escalatingRemediations[].timeout", isRequired: true, ...durations },
    ...referenceFields("spec.escalatingRemediations[].remediationTemplate", true),
    { path: "status", good: [{}] },
    { path: "status.phase" },
    { path: "status.reason" },
    { path: "status.observedNodes" },
    { path: "status.healthyNodes" },
    { path: "status.unhealthyNodes", good: [[]], bad: [[{ name: "a" }, { name: "a" }]] },
    { path: "status.unhealthyNodes[].name", isRequired: true },
    { path: "status.unhealthyNodes[].remediations", good: [[]] },
    { path: "status.unhealthyNodes[].remediations[].started", isRequired: true, bad: ["yesterday"] },
    ...referenceFields("status.unhealthyNodes[].remediations[].resource", true),
    ...conditionFields("status.conditions", { areUnique: true }),
  ],
};

const strategies = { good: ["ResourceDeletion", "OutOfServiceTaint"], bad: ["Manual", ""] };

const selfNodeRemediation: Subject = {
  title: "a SelfNodeRemediation",
  mock: "selfnoderemediations.yaml",
  genuine: [{ file: "operators/selfnoderemediations.self-node-remediation.medik8s.io.yaml" }],
  mentioned: { "platform.md 4 (gate CRD)": ["spec.remediationStrategy"] },
  sample: {
    apiVersion: "self-node-remediation.medik8s.io/v1alpha1",
    kind: "SelfNodeRemediation",
    metadata: { name: "worker-0", namespace: "probes" },
    spec: { remediationStrategy: "Automatic" },
    status: { phase: "a", lastError: "b", timeAssumedRebooted: time, conditions: [fullCondition] },
  },
  fields: [
    { path: "spec", good: [{}] },
    { path: "spec.remediationStrategy", ...strategies },
    { path: "status", good: [{}] },
    { path: "status.phase" },
    { path: "status.lastError" },
    { path: "status.timeAssumedRebooted", bad: ["yesterday"] },
    ...conditionFields("status.conditions", { areUnique: true }),
  ],
};

const selfNodeRemediationTemplate: Subject = {
  title: "a SelfNodeRemediationTemplate",
  mock: "selfnoderemediationtemplates.yaml",
  genuine: [{ file: "operators/self-node-remediation.medik8s.io_selfnoderemediationtemplates.yaml" }],
  mentioned: { "platform.md 4.5": ["spec.template.spec.remediationStrategy"] },
  sample: {
    apiVersion: "self-node-remediation.medik8s.io/v1alpha1",
    kind: "SelfNodeRemediationTemplate",
    metadata: { name: "self-node-remediation-automatic-strategy-template", namespace: "probes" },
    spec: { template: { spec: { remediationStrategy: "Automatic" } } },
  },
  fields: [
    { path: "spec", isRequired: true, bad: [{}] },
    { path: "spec.template", isRequired: true, bad: [{}] },
    { path: "spec.template.spec", isRequired: true, good: [{}] },
    { path: "spec.template.spec.remediationStrategy", ...strategies },
  ],
};

const agent = {
  agent: "fence_ipmilan",
  sharedSecretName: "a",
  nodeSecretNames: { "worker-0": "b" },
  sharedparameters: { "--lanplus": "" },
  nodeparameters: { "--ip": { "worker-0": "192.0.2.1" } },
  remediationStrategy: "OutOfServiceTaint",
  retrycount: 3,
  retryinterval: "5s",
  timeout: "60s",
};

const agentFields = (path: string): readonly Field[] => [
  { path: `${path}.agent`, isRequired: true, good: ["fence_x"], bad: ["ipmilan", ""] },
  { path: `${path}.sharedSecretName` },
  { path: `${path}.nodeSecretNames`, isOpen: true, good: [{}] },
  { path: `${path}.nodeSecretNames{}` },
  { path: `${path}.sharedparameters`, isOpen: true, good: [{}] },
  { path: `${path}.sharedparameters{}` },
  { path: `${path}.nodeparameters`, isOpen: true, good: [{}] },
  { path: `${path}.nodeparameters{}`, isOpen: true, good: [{}] },
  { path: `${path}.remediationStrategy`, good: ["ResourceDeletion"], bad: ["Automatic", ""] },
  { path: `${path}.retrycount` },
  { path: `${path}.retryinterval`, ...durations },
  { path: `${path}.timeout`, ...durations },
];

const fenceAgentsRemediationTemplate: Subject = {
  title: "a FenceAgentsRemediationTemplate",
  mock: "fenceagentsremediationtemplates.yaml",
  genuine: [{ file: "operators/fence-agents-remediation.medik8s.io_fenceagentsremediationtemplates.yaml" }],
  mentioned: { "profiles.md 4.1": ["spec.template.spec.agent"] },
  sample: {
    apiVersion: "fence-agents-remediation.medik8s.io/v1alpha1",
    kind: "FenceAgentsRemediationTemplate",
    metadata: { name: "fenceagentsremediationtemplate-default", namespace: "probes" },
    spec: { template: { spec: agent } },
    status: { conditions: [fullCondition] },
  },
  fields: [
    { path: "spec" },
    { path: "spec.template", isRequired: true, bad: [{}] },
    { path: "spec.template.spec", isRequired: true, bad: [{}] },
    ...agentFields("spec.template.spec"),
    { path: "status", good: [{}] },
    ...conditionFields("status.conditions", { areUnique: true }),
  ],
};

const fenceAgentsRemediation: Subject = {
  title: "a FenceAgentsRemediation",
  mock: "fenceagentsremediations.yaml",
  genuine: [{ file: "operators/fenceagentsremediations.fence-agents-remediation.medik8s.io.yaml" }],
  mentioned: { "profiles.md 4.1": ["spec.agent"] },
  sample: {
    apiVersion: "fence-agents-remediation.medik8s.io/v1alpha1",
    kind: "FenceAgentsRemediation",
    metadata: { name: "worker-0", namespace: "probes" },
    spec: agent,
    status: { lastUpdateTime: time, conditions: [fullCondition] },
  },
  fields: [
    { path: "spec", bad: [{}] },
    ...agentFields("spec"),
    { path: "status", good: [{}] },
    { path: "status.lastUpdateTime", bad: ["yesterday"] },
    ...conditionFields("status.conditions", { areUnique: true }),
  ],
};

const terminating = { type: "Terminating", status: "True", timeout: "0s" };

const machineHealthCheck: Subject = {
  title: "a MachineHealthCheck",
  mock: "machinehealthchecks.yaml",
  genuine: [{ file: "openshift/machinehealthchecks.yaml" }],
  mentioned: { "profiles.md 4.1": ["spec.unhealthyConditions[].type"] },
  sample: {
    apiVersion: "machine.openshift.io/v1beta1",
    kind: "MachineHealthCheck",
    metadata: { name: "machine-api-termination-handler", namespace: "probes" },
    spec: { maxUnhealthy: "100%", nodeStartupTimeout: "10m", selector, unhealthyConditions: [terminating] },
    status: { currentHealthy: 3, expectedMachines: 3, remediationsAllowed: 0 },
  },
  fields: [
    { path: "spec", good: [{}] },
    { path: "spec.maxUnhealthy", ...shares },
    { path: "spec.nodeStartupTimeout", good: ["0", "1h30m"], bad: ["five minutes", ""] },
    ...selectorFields("spec.selector"),
    { path: "spec.unhealthyConditions", bad: [[]] },
    { path: "spec.unhealthyConditions[].type", bad: [""] },
    { path: "spec.unhealthyConditions[].status", bad: [""] },
    { path: "spec.unhealthyConditions[].timeout", good: ["5m"], bad: ["five minutes", ""] },
    { path: "status", good: [{}] },
    { path: "status.currentHealthy", bad: [-1] },
    { path: "status.expectedMachines", bad: [-1] },
    { path: "status.remediationsAllowed", bad: [-1] },
  ],
};

export const remediations: readonly Subject[] = [
  nodeHealthCheck,
  selfNodeRemediation,
  selfNodeRemediationTemplate,
  fenceAgentsRemediation,
  fenceAgentsRemediationTemplate,
  machineHealthCheck,
];
