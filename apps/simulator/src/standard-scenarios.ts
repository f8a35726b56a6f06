// Predefined scenarios. Each one is a variation of the default scenario.

import { defaultDurations, type Scenario } from "./scenario.ts";

const zones = ["zone-a", "zone-b", "zone-c"];

export const standard: Scenario = {
  about: "3 control plane nodes, 12 workers in 3 zones, 200 virtual machines",
  topology: "HighlyAvailable",
  platform: "BareMetal",
  mastersSchedulable: false,
  nodes: [
    { name: "master", count: 3, roles: ["master", "control-plane"], zones, cpus: 16, memoryGiB: 64 },
    {
      name: "worker",
      count: 12,
      roles: ["worker"],
      zones,
      cpus: 64,
      memoryGiB: 256,
      swapGiB: 128,
      labels: {
        "feature.node.kubernetes.io/memory-numa": "true",
        "feature.node.kubernetes.io/cpu-hardware_multithreading": "true",
      },
    },
  ],
  pools: [{ name: "master" }, { name: "worker" }],
  vms: [
    { name: "web", namespace: "shop", count: 80, memoryGiB: [4, 8] },
    { name: "db", namespace: "shop", count: 20, memoryGiB: [16, 32] },
    { name: "desktop", namespace: "office", count: 70, memoryGiB: [8] },
    { name: "batch", namespace: "lab", count: 20, memoryGiB: [4, 8, 16], evictionStrategy: "LiveMigrateIfPossible" },
    {
      name: "gpu",
      namespace: "lab",
      count: 10,
      memoryGiB: [16],
      evictionStrategy: "LiveMigrateIfPossible",
      unmigratable: "HostDeviceNotLiveMigratable",
    },
  ],
  kubevirtVersion: "1.9",
  hco: { namespace: "openshift-cnv" },
  descheduler: { namespace: "openshift-kube-descheduler-operator" },
  objects: [],
  durations: defaultDurations,
  faults: [],
};

export const threeWorkers: Scenario = {
  ...standard,
  about: "3 control plane nodes, 3 workers, 12 virtual machines",
  nodes: [
    { name: "master", count: 3, roles: ["master", "control-plane"], cpus: 8, memoryGiB: 32 },
    { name: "worker", count: 3, roles: ["worker"], cpus: 32, memoryGiB: 128, swapGiB: 64 },
  ],
  vms: [{ name: "vm", namespace: "vms", count: 12, memoryGiB: [4, 8] }],
};

export const noVms: Scenario = {
  ...threeWorkers,
  about: "as three-workers, without virtual machines",
  vms: [],
};

export const compact: Scenario = {
  ...standard,
  about: "3 nodes that are control plane and workers at once, 12 virtual machines",
  mastersSchedulable: true,
  nodes: [
    { name: "node", count: 3, roles: ["master", "control-plane", "worker"], cpus: 32, memoryGiB: 128, swapGiB: 64 },
  ],
  vms: [{ name: "vm", namespace: "vms", count: 12, memoryGiB: [4, 8] }],
};

export const singleNode: Scenario = {
  ...standard,
  about: "1 node that is everything, 3 virtual machines",
  topology: "SingleReplica",
  platform: "None",
  mastersSchedulable: true,
  nodes: [{ name: "node", count: 1, roles: ["master", "control-plane", "worker"], cpus: 16, memoryGiB: 64 }],
  vms: [{ name: "vm", namespace: "vms", count: 3, memoryGiB: [4] }],
};

const pausedPool: Scenario = {
  ...threeWorkers,
  about: "as three-workers, with the worker pool paused",
  pools: [{ name: "master" }, { name: "worker", paused: true }],
};

const customPool: Scenario = {
  ...standard,
  about:
    "3 control plane nodes, 2 workers and 2 nodes of a custom pool `infra` that inherits worker, 12 virtual machines",
  nodes: [
    { name: "master", count: 3, roles: ["master", "control-plane"], cpus: 8, memoryGiB: 32 },
    { name: "worker", count: 2, roles: ["worker"], cpus: 32, memoryGiB: 128, swapGiB: 64 },
    { name: "infra", count: 2, roles: ["worker", "infra"], cpus: 32, memoryGiB: 128 },
  ],
  pools: [{ name: "master" }, { name: "worker" }, { name: "infra" }],
  vms: [{ name: "vm", namespace: "vms", count: 12, memoryGiB: [4, 8] }],
};

const stuckDrain: Scenario = {
  ...threeWorkers,
  about: "as three-workers, with a virtual machine `vms/pinned-0` that blocks the drain of worker-0",
  vms: [
    ...threeWorkers.vms,
    {
      name: "pinned",
      namespace: "vms",
      count: 1,
      memoryGiB: [8],
      evictionStrategy: "LiveMigrate",
      unmigratable: "DisksNotLiveMigratable",
      nodes: ["worker-0"],
    },
  ],
};

const autopilot: Scenario = {
  ...standard,
  about: "as default, with virt-platform-autopilot, which applies its objects to the cluster",
  autopilot: true,
};

export const standardScenarios: readonly (readonly [string, Scenario])[] = [
  ["default", standard],
  ["three-workers", threeWorkers],
  ["no-vms", noVms],
  ["compact", compact],
  ["single-node", singleNode],
  ["paused-pool", pausedPool],
  ["custom-pool", customPool],
  ["stuck-drain", stuckDrain],
  ["autopilot", autopilot],
];
