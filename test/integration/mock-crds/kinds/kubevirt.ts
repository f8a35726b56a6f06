// VirtualMachineInstances and their migrations, in the parts that rollouts read.

import type { Field, Genuine, Subject } from "../subject.ts";
import { condition, looseConditionFields, time } from "./parts.ts";

export const kubeVirtCondition = { ...condition, lastProbeTime: time };
const metadata = { name: "vm", namespace: "probes" };
const transition = { phase: "Running", phaseTransitionTimestamp: time };

const migrationState = {
  migrationUid: "a",
  mode: "PreCopy",
  sourceNode: "worker-0",
  sourcePod: "a",
  targetNode: "worker-1",
  targetPod: "b",
  targetNodeAddress: "c",
  targetNodeDomainDetected: true,
  startTimestamp: time,
  endTimestamp: time,
  completed: true,
  failed: false,
  failureReason: "",
  abortRequested: false,
  abortStatus: "",
};
const migrationConfiguration = { completionTimeoutPerGiB: 150, bandwidthPerMigration: "64Mi", allowPostCopy: false };

const quantity = { isIntOrString: true, good: [1024, "1.5Gi"], bad: ["much", ""] };

export const kubeVirtConditionFields: readonly Field[] = [
  ...looseConditionFields("status.conditions", true),
  { path: "status.conditions[].lastProbeTime", bad: ["yesterday"] },
];

const statusFields: readonly Field[] = [
  { path: "status", good: [{}] },
  { path: "status.phase", good: ["Pending", "Scheduling", "Succeeded", "Failed", ""] },
  ...kubeVirtConditionFields,
  { path: "status.phaseTransitionTimestamps", good: [[]] },
  { path: "status.phaseTransitionTimestamps[].phase" },
  { path: "status.phaseTransitionTimestamps[].phaseTransitionTimestamp", bad: ["yesterday"] },
  { path: "status.migrationState", good: [{}] },
  ...Object.keys(migrationState).map((key) => ({
    path: `status.migrationState.${key}`,
    bad: key.endsWith("Timestamp") ? ["yesterday"] : [],
  })),
  { path: "status.migrationState.migrationConfiguration", good: [{}] },
  { path: "status.migrationState.migrationConfiguration.completionTimeoutPerGiB", good: [0] },
  { path: "status.migrationState.migrationConfiguration.bandwidthPerMigration", ...quantity },
  { path: "status.migrationState.migrationConfiguration.allowPostCopy" },
];

const expression = { key: "a", operator: "In", values: ["b"] };

/** The parts of a VM that a drain reads. */
export const machineSpec = {
  evictionStrategy: "LiveMigrate",
  nodeSelector: { a: "b" },
  terminationGracePeriodSeconds: 30,
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [expression], matchFields: [expression] }],
      },
    },
  },
  tolerations: [{ key: "a", operator: "Equal", value: "b", effect: "NoSchedule", tolerationSeconds: 30 }],
  domain: {
    devices: { disks: [{ name: "a" }] },
    cpu: { cores: 1, sockets: 1, threads: 1, model: "host-model", dedicatedCpuPlacement: false },
    memory: { guest: "2Gi", maxGuest: "4Gi" },
    resources: { requests: { memory: "2Gi" }, limits: { memory: "2Gi" }, overcommitGuestOverhead: false },
  },
  volumes: [{ name: "a" }],
};

export function machineFields(path: string): readonly Field[] {
  const machine = `${path}.domain`;
  const required = `${path}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`;
  const terms = `${required}.nodeSelectorTerms`;
  const expressions = ["matchExpressions", "matchFields"].flatMap((key): readonly Field[] => [
    { path: `${terms}[].${key}`, good: [[]] },
    { path: `${terms}[].${key}[].key`, isRequired: true },
    { path: `${terms}[].${key}[].operator`, isRequired: true, good: ["NotAnOperator"] },
    { path: `${terms}[].${key}[].values`, good: [[]] },
  ]);
  return [
    { path, isRequired: true, bad: [{}] },
    { path: `${path}.evictionStrategy`, good: ["None", "LiveMigrateIfPossible", "External", "Stop", ""] },
    { path: `${path}.nodeSelector`, isOpen: true },
    { path: `${path}.nodeSelector{}` },
    { path: `${path}.terminationGracePeriodSeconds`, good: [0] },
    { path: required, bad: [{}] },
    { path: terms, isRequired: true, good: [[]] },
    ...expressions,
    { path: `${path}.tolerations`, good: [[]] },
    ...["key", "operator", "value", "effect", "tolerationSeconds"].map((key) => ({
      path: `${path}.tolerations[].${key}`,
    })),
    { path: machine, isRequired: true, bad: [{}] },
    { path: `${machine}.devices`, isRequired: true, good: [{}] },
    { path: `${machine}.cpu`, good: [{}] },
    ...["cores", "sockets", "threads", "model", "dedicatedCpuPlacement"].map((key) => ({
      path: `${machine}.cpu.${key}`,
    })),
    { path: `${machine}.memory.guest`, ...quantity },
    { path: `${machine}.memory.maxGuest`, ...quantity },
    { path: `${machine}.resources`, good: [{}] },
    { path: `${machine}.resources.requests`, isOpen: true, good: [{}, { cpu: 1 }] },
    { path: `${machine}.resources.limits`, isOpen: true, good: [{}] },
    { path: `${machine}.resources.overcommitGuestOverhead` },
  ];
}

/** The KubeVirt releases of supported HyperConverged releases, newest first. */
function releasesOf(plural: string, except: Readonly<Record<string, readonly string[]>>): readonly Genuine[] {
  return ["1.9", "1.7", "1.5"].map((release) => ({
    file: `kubevirt/${plural}-${release}.yaml`,
    except: except[release] ?? [],
  }));
}

const instance: Subject = {
  title: "a VirtualMachineInstance",
  mock: "virtualmachineinstances.yaml",
  genuine: releasesOf("virtualmachineinstances", {
    "1.7": ["status.memory.memoryOverhead"],
    "1.5": ["status.memory.memoryOverhead"],
  }),
  mentioned: {
    "impact of a drain": [
      "spec.evictionStrategy",
      "spec.nodeSelector",
      "spec.tolerations",
      "spec.terminationGracePeriodSeconds",
      "spec.domain.memory.guest",
      "spec.domain.resources.requests",
      "spec.domain.cpu",
      "status.phase",
      "status.nodeName",
      "status.evacuationNodeName",
      "status.migrationState",
      "status.memory.guestCurrent",
      "status.memory.memoryOverhead",
      "status.conditions[].type",
      "status.conditions[].status",
    ],
    simulator: ["spec.domain.devices", "status.migrationMethod", "status.migratedVolumes"],
  },
  sample: {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstance",
    metadata,
    spec: machineSpec,
    status: {
      phase: "Running",
      reason: "",
      nodeName: "worker-0",
      evacuationNodeName: "worker-0",
      migrationMethod: "LiveMigration",
      migrationTransport: "Unix",
      qosClass: "Burstable",
      launcherContainerImageVersion: "a",
      activePods: { a: "worker-0" },
      interfaces: [{ name: "default", ipAddress: "10.0.0.1" }],
      memory: { guestAtBoot: "2Gi", guestCurrent: "2Gi", guestRequested: "2Gi", memoryOverhead: "300Mi" },
      conditions: [kubeVirtCondition],
      phaseTransitionTimestamps: [transition],
      migratedVolumes: [{ volumeName: "a" }],
      migrationState: { ...migrationState, migrationConfiguration },
    },
  },
  fields: [
    ...machineFields("spec"),
    ...["reason", "nodeName", "evacuationNodeName", "migrationMethod", "migrationTransport", "qosClass"].map((key) => ({
      path: `status.${key}`,
    })),
    { path: "status.activePods", isOpen: true },
    { path: "status.launcherContainerImageVersion" },
    { path: "status.interfaces", good: [[]] },
    { path: "status.interfaces[].name" },
    { path: "status.interfaces[].ipAddress" },
    { path: "status.memory", good: [{}] },
    ...["guestAtBoot", "guestCurrent", "guestRequested", "memoryOverhead"].map((key) => ({
      path: `status.memory.${key}`,
      ...quantity,
    })),
    { path: "status.migratedVolumes", good: [[]] },
    { path: "status.migratedVolumes[].volumeName", isRequired: true },
    ...statusFields,
  ],
};

const migration: Subject = {
  title: "a VirtualMachineInstanceMigration",
  mock: "virtualmachineinstancemigrations.yaml",
  genuine: releasesOf("virtualmachineinstancemigrations", {
    "1.5": ["spec.addedNodeSelector", "spec.addedNodeSelector{}", "spec.priority"],
  }),
  mentioned: {
    "a rollout's findings": ["spec.vmiName", "status.phase", "status.conditions", "status.migrationState"],
    simulator: ["status.phaseTransitionTimestamps"],
  },
  sample: {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstanceMigration",
    metadata,
    spec: { vmiName: "vm", addedNodeSelector: { a: "b" }, priority: "system-critical" },
    status: {
      phase: "Running",
      conditions: [kubeVirtCondition],
      phaseTransitionTimestamps: [transition],
      migrationState: { ...migrationState, migrationConfiguration },
    },
  },
  fields: [
    { path: "spec", isRequired: true, good: [{}] },
    { path: "spec.vmiName" },
    { path: "spec.addedNodeSelector", isOpen: true },
    { path: "spec.addedNodeSelector{}" },
    { path: "spec.priority", good: ["anything"] },
    ...statusFields,
  ],
};

export const kubeVirt: readonly Subject[] = [instance, migration];
