import type { Field, Subject } from "../subject.ts";
import {
  condition,
  conditionFields,
  fullCondition,
  looseConditionFields,
  reference,
  referenceFields,
  selector,
  selectorFields,
  selectorPaths,
  time,
} from "./parts.ts";

const apiVersion = "machineconfiguration.openshift.io/v1";

function configurationFields(path: string): readonly Field[] {
  return [...referenceFields(path), { path: `${path}.source`, good: [[]] }, ...referenceFields(`${path}.source[]`)];
}

const counts = [
  "machineCount",
  "updatedMachineCount",
  "readyMachineCount",
  "unavailableMachineCount",
  "degradedMachineCount",
];

const machineConfigPool: Subject = {
  title: "a MachineConfigPool",
  mock: "machineconfigpools.yaml",
  genuine: [{ file: "openshift/machineconfigpools.yaml" }],
  mentioned: {
    "advisor.md 6.6": [
      "spec.paused",
      "spec.configuration.name",
      "spec.configuration.source",
      ...selectorPaths("spec.machineConfigSelector"),
      "status.configuration.name",
      "status.observedGeneration",
      "status.machineCount",
      "status.updatedMachineCount",
      "status.readyMachineCount",
      "status.degradedMachineCount",
      "status.conditions",
      "status.conditions[].type",
      "status.conditions[].status",
      "status.conditions[].message",
    ],
    "a rollout's findings": ["status.certExpirys[].subject", "status.certExpirys[].expiry"],
    simulator: [
      "spec.maxUnavailable",
      ...selectorPaths("spec.nodeSelector"),
      "status.unavailableMachineCount",
      "status.configuration.source",
      "status.conditions[].lastTransitionTime",
      "status.conditions[].reason",
    ],
  },
  sample: {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name: "worker", labels: { "pools.operator.machineconfiguration.openshift.io/worker": "" } },
    spec: {
      paused: false,
      maxUnavailable: "10%",
      configuration: { ...reference, source: [reference, reference] },
      machineConfigSelector: selector,
      nodeSelector: selector,
    },
    status: {
      observedGeneration: 1,
      ...Object.fromEntries(counts.map((count) => [count, 3])),
      certExpirys: [{ bundle: "a", subject: "b", expiry: time }],
      configuration: { ...reference, source: [reference] },
      conditions: [condition, { ...condition, type: "Updated" }],
    },
  },
  fields: [
    { path: "spec", isRequired: true, good: [{}] },
    { path: "spec.paused", good: [true] },
    { path: "spec.maxUnavailable", isIntOrString: true, good: [1, "anything"], bad: [1.5] },
    ...configurationFields("spec.configuration"),
    ...selectorFields("spec.machineConfigSelector"),
    ...selectorFields("spec.nodeSelector"),
    { path: "status", good: [{}] },
    { path: "status.observedGeneration", good: [0, -1] },
    ...counts.map((count) => ({ path: `status.${count}`, good: [0, -1] })),
    { path: "status.certExpirys", good: [[]] },
    { path: "status.certExpirys[].bundle", isRequired: true },
    { path: "status.certExpirys[].subject", isRequired: true },
    { path: "status.certExpirys[].expiry", bad: ["tomorrow"] },
    ...configurationFields("status.configuration"),
    ...looseConditionFields("status.conditions"),
  ],
};

const subdomain = { isRequired: true, isRuled: true, good: ["a.b-c"], bad: ["Upper", "", "a_b", "a".repeat(254)] };

const machineConfigNode: Subject = {
  title: "a MachineConfigNode",
  mock: "machineconfignodes.yaml",
  genuine: [{ file: "openshift/machineconfignodes.yaml" }],
  mentioned: {
    "users.md 2 C5, 7": ["status.conditions[].type", "status.conditions[].status", "status.conditions[].message"],
    simulator: [
      "spec.node.name",
      "spec.pool.name",
      "spec.configVersion.desired",
      "status.observedGeneration",
      "status.configVersion.current",
      "status.configVersion.desired",
      "status.conditions",
      "status.conditions[].reason",
      "status.conditions[].lastTransitionTime",
    ],
  },
  sample: {
    apiVersion,
    kind: "MachineConfigNode",
    metadata: { name: "worker-0" },
    spec: { node: { name: "worker-0" }, pool: { name: "worker" }, configVersion: { desired: "rendered-worker-1" } },
    status: {
      observedGeneration: 5,
      configVersion: { current: "rendered-worker-0", desired: "rendered-worker-1" },
      conditions: [fullCondition, { ...condition, type: "Updated" }],
    },
  },
  fields: [
    { path: "spec", isRequired: true, bad: [{}] },
    { path: "spec.node", isRequired: true, bad: [{}] },
    { path: "spec.node.name", isRequired: true, isRuled: true, bad: ["worker-1", "Upper", ""] },
    { path: "spec.pool", isRequired: true, bad: [{}] },
    { path: "spec.pool.name", ...subdomain },
    { path: "spec.configVersion", isRequired: true, bad: [{}] },
    { path: "spec.configVersion.desired", ...subdomain },
    { path: "status", good: [{}] },
    { path: "status.observedGeneration", isRuled: true, good: [5, 6], bad: [4, 0] },
    { path: "status.configVersion", bad: [{}] },
    { path: "status.configVersion.current", ...subdomain, isRequired: false },
    { path: "status.configVersion.desired", ...subdomain },
    ...conditionFields("status.conditions", { areUnique: true }),
  ],
  cases: [
    { reason: "another name than its node's", set: { "metadata.name": "worker-1" }, expect: "refused" },
    { reason: "a node of a longer name", set: { "metadata.name": "a.b", "spec.node.name": "a.b" }, expect: "accepted" },
  ],
};

export const rollouts: readonly Subject[] = [machineConfigPool, machineConfigNode];
