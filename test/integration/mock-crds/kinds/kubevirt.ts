// KubeVirt's machines and their migrations, as far as a rollout moves them. No genuine CRD is at hand, so the table alone counts.

import type { Field, Subject } from "../subject.ts";
import { condition, looseConditionFields, time } from "./parts.ts";

const metadata = { name: "vm", namespace: "probes" };
const kubeVirtCondition = { ...condition, lastProbeTime: time };
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

const statusFields: readonly Field[] = [
  { path: "status", good: [{}] },
  { path: "status.phase", good: ["Pending", "Scheduling", "Succeeded", "Failed", ""] },
  ...looseConditionFields("status.conditions", true),
  { path: "status.conditions[].lastProbeTime", bad: ["yesterday"] },
  { path: "status.phaseTransitionTimestamps", good: [[]] },
  { path: "status.phaseTransitionTimestamps[].phase" },
  { path: "status.phaseTransitionTimestamps[].phaseTransitionTimestamp", bad: ["yesterday"] },
  { path: "status.migrationState", good: [{}] },
  ...Object.keys(migrationState).map((key) => ({
    path: `status.migrationState.${key}`,
    bad: key.endsWith("Timestamp") ? ["yesterday"] : [],
  })),
];

const machine = "spec.domain";
const memory = { isIntOrString: true, good: [1024, "1.5Gi"], bad: ["much", ""] };

const instance: Subject = {
  title: "a VirtualMachineInstance",
  mock: "virtualmachineinstances.yaml",
  genuine: [],
  mentioned: {
    "users.md 8 M1, 11.4": [
      "spec.evictionStrategy",
      "status.conditions[].type",
      "status.conditions[].status",
      `${machine}.resources.requests`,
    ],
    simulator: [
      `${machine}.cpu`,
      `${machine}.memory.guest`,
      `${machine}.devices`,
      "spec.nodeSelector",
      "status.phase",
      "status.nodeName",
      "status.evacuationNodeName",
      "status.migrationMethod",
      "status.migrationState",
      "status.migratedVolumes",
    ],
  },
  sample: {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstance",
    metadata,
    spec: {
      evictionStrategy: "LiveMigrate",
      nodeSelector: { a: "b" },
      terminationGracePeriodSeconds: 30,
      domain: {
        devices: { disks: [{ name: "a" }] },
        cpu: { cores: 1, sockets: 1, threads: 1, model: "host-model", dedicatedCpuPlacement: false },
        memory: { guest: "2Gi" },
        resources: { requests: { memory: "2Gi" }, limits: { memory: "2Gi" }, overcommitGuestOverhead: false },
      },
      volumes: [{ name: "a" }],
    },
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
      conditions: [kubeVirtCondition],
      phaseTransitionTimestamps: [transition],
      migratedVolumes: [{ volumeName: "a" }],
      migrationState,
    },
  },
  fields: [
    { path: "spec", isRequired: true, isOpen: true, bad: [{}] },
    { path: "spec.evictionStrategy", good: ["None", "LiveMigrateIfPossible", "External"], bad: ["Stop", ""] },
    { path: "spec.nodeSelector" },
    { path: "spec.nodeSelector{}" },
    { path: "spec.terminationGracePeriodSeconds", good: [0] },
    { path: machine, isRequired: true, bad: [{}] },
    { path: `${machine}.devices`, isRequired: true, good: [{}, { anything: [1] }] },
    { path: `${machine}.cpu`, good: [{}, { anything: [1] }] },
    ...["cores", "sockets", "threads"].map((key) => ({ path: `${machine}.cpu.${key}` })),
    { path: `${machine}.cpu.dedicatedCpuPlacement` },
    { path: `${machine}.memory.guest`, ...memory },
    { path: `${machine}.resources`, good: [{}] },
    { path: `${machine}.resources.requests`, good: [{}, { cpu: 1 }] },
    { path: `${machine}.resources.overcommitGuestOverhead` },
    ...["reason", "nodeName", "evacuationNodeName", "migrationMethod", "migrationTransport", "qosClass"].map((key) => ({
      path: `status.${key}`,
    })),
    { path: "status.activePods", isOpen: true },
    { path: "status.launcherContainerImageVersion" },
    { path: "status.interfaces", good: [[]] },
    { path: "status.interfaces[].name" },
    { path: "status.interfaces[].ipAddress" },
    { path: "status.migratedVolumes", good: [[]] },
    { path: "status.migratedVolumes[].volumeName", isRequired: true },
    ...statusFields,
  ],
};

const migration: Subject = {
  title: "a VirtualMachineInstanceMigration",
  mock: "virtualmachineinstancemigrations.yaml",
  genuine: [],
  mentioned: { simulator: ["spec.vmiName", "status.phase", "status.conditions", "status.migrationState"] },
  sample: {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstanceMigration",
    metadata,
    spec: { vmiName: "vm", addedNodeSelector: { a: "b" } },
    status: {
      phase: "Running",
      conditions: [kubeVirtCondition],
      phaseTransitionTimestamps: [transition],
      migrationState,
    },
  },
  fields: [
    { path: "spec", isRequired: true, good: [{}] },
    { path: "spec.vmiName" },
    { path: "spec.addedNodeSelector", isOpen: true },
    { path: "spec.addedNodeSelector{}" },
    ...statusFields,
  ],
};

export const kubeVirt: readonly Subject[] = [instance, migration];
