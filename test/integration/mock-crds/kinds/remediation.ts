import type { Subject } from "../subject.ts";
import {
  conditionFields,
  fullCondition,
  reference,
  referenceFields,
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
    },
    status: { phase: "Enabled", reason: "a", observedNodes: 3, healthyNodes: 3, conditions: [fullCondition] },
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
    { path: "status", good: [{}] },
    { path: "status.phase" },
    { path: "status.reason" },
    { path: "status.observedNodes" },
    { path: "status.healthyNodes" },
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
  genuine: [],
  mentioned: { "platform.md 4.5": ["spec.template.spec.remediationStrategy"] },
  sample: {
    apiVersion: "self-node-remediation.medik8s.io/v1alpha1",
    kind: "SelfNodeRemediationTemplate",
    metadata: { name: "self-node-remediation-automatic-strategy-template", namespace: "probes" },
    spec: { template: { spec: { remediationStrategy: "Automatic" } } },
  },
  fields: [
    { path: "spec" },
    { path: "spec.template", isRequired: true, bad: [{}] },
    { path: "spec.template.spec", isRequired: true, good: [{}] },
    { path: "spec.template.spec.remediationStrategy", ...strategies },
  ],
};

export const remediations: readonly Subject[] = [nodeHealthCheck, selfNodeRemediation, selfNodeRemediationTemplate];
