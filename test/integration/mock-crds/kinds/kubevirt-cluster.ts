import type { Subject } from "../subject.ts";
import { kubeVirtCondition, kubeVirtConditionFields, machineFields, machineSpec } from "./kubevirt.ts";

const virtualMachine: Subject = {
  title: "a VirtualMachine",
  mock: "virtualmachines.yaml",
  genuine: [{ file: "kubevirt/virtualmachines-1.9.yaml" }],
  mentioned: {
    "impact of a drain": ["spec.runStrategy", "spec.running"],
    simulator: ["spec.template.metadata", "spec.template.spec", "status.printableStatus", "status.ready"],
  },
  sample: {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachine",
    metadata: { name: "vm", namespace: "probes" },
    spec: { runStrategy: "Always", running: true, template: { metadata: { labels: { a: "b" } }, spec: machineSpec } },
    status: {
      created: true,
      ready: true,
      printableStatus: "Running",
      runStrategy: "Always",
      observedGeneration: 1,
      desiredGeneration: 1,
      conditions: [kubeVirtCondition],
    },
  },
  fields: [
    { path: "spec", isRequired: true, bad: [{}] },
    { path: "spec.runStrategy", good: ["Manual", "RerunOnFailure", "NotAStrategy"] },
    { path: "spec.running", good: [false] },
    { path: "spec.template", isRequired: true, good: [{}] },
    { path: "spec.template.metadata", isOpen: true, good: [{ annotations: { a: "b" } }] },
    ...machineFields("spec.template.spec").map((field) =>
      field.path === "spec.template.spec" ? { ...field, isRequired: false } : field,
    ),
    { path: "status", good: [{}] },
    { path: "status.created", good: [false] },
    { path: "status.ready", good: [false] },
    { path: "status.printableStatus", good: ["Stopped"] },
    { path: "status.runStrategy" },
    { path: "status.observedGeneration", good: [0] },
    { path: "status.desiredGeneration", good: [0] },
    ...kubeVirtConditionFields,
  ],
};

const quantity = { isIntOrString: true, good: [1024, "1.5Gi"], bad: ["much", ""] };
const migrations = {
  allowAutoConverge: false,
  allowPostCopy: false,
  bandwidthPerMigration: "64Mi",
  completionTimeoutPerGiB: 150,
  network: "a",
  nodeDrainTaintKey: "b",
  parallelMigrationsPerCluster: 5,
  parallelOutboundMigrationsPerNode: 2,
  progressTimeout: 150,
};
const configuration = "spec.configuration";

const gates = ["featureGates", "disabledFeatureGates"].map((key) => `${configuration}.developerConfiguration.${key}`);

const kubeVirtObject: Subject = {
  title: "a KubeVirt",
  mock: "kubevirts.yaml",
  genuine: [{ file: "kubevirt/kubevirts-1.9.yaml" }],
  mentioned: {
    "impact of a drain": [
      `${configuration}.evictionStrategy`,
      `${configuration}.migrations`,
      `${configuration}.developerConfiguration.memoryOvercommit`,
    ],
    "world.md 3.2": gates,
    "a rollout's findings": ["status.conditions[].type", "status.conditions[].status", "status.conditions[].reason"],
    simulator: ["status.phase", "status.observedKubeVirtVersion"],
  },
  sample: {
    apiVersion: "kubevirt.io/v1",
    kind: "KubeVirt",
    metadata: { name: "kubevirt", namespace: "probes" },
    spec: {
      imageTag: "v1.9.0",
      configuration: {
        evictionStrategy: "LiveMigrate",
        migrations,
        developerConfiguration: { memoryOvercommit: 100, featureGates: ["A"], disabledFeatureGates: ["B"] },
      },
    },
    status: {
      phase: "Deployed",
      observedGeneration: 1,
      observedKubeVirtVersion: "v1.9.0",
      operatorVersion: "v1.9.0",
      targetKubeVirtVersion: "v1.9.0",
      conditions: [kubeVirtCondition],
    },
  },
  fields: [
    { path: "spec", isRequired: true, good: [{}] },
    { path: "spec.imageTag" },
    { path: configuration, good: [{}] },
    { path: `${configuration}.evictionStrategy`, good: ["None", "anything"] },
    { path: `${configuration}.developerConfiguration`, good: [{}] },
    { path: `${configuration}.developerConfiguration.memoryOvercommit`, good: [10, 200], bad: [9] },
    ...gates.flatMap((path) => [
      { path, good: [[]] },
      { path: `${path}[]`, good: [""] },
    ]),
    { path: `${configuration}.migrations`, good: [{}] },
    ...Object.keys(migrations).map((key) => ({
      path: `${configuration}.migrations.${key}`,
      ...(key === "bandwidthPerMigration" ? quantity : {}),
    })),
    { path: "status", good: [{}] },
    { path: "status.phase", good: ["Deploying"] },
    { path: "status.observedGeneration", good: [0] },
    ...["observedKubeVirtVersion", "operatorVersion", "targetKubeVirtVersion"].map((key) => ({
      path: `status.${key}`,
    })),
    ...kubeVirtConditionFields,
  ],
};

export const kubeVirtCluster: readonly Subject[] = [virtualMachine, kubeVirtObject];
