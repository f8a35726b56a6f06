// Three control plane nodes and twelve workers in three zones, two hundred virtual machines.

import { type Scenario, usualDurations } from "../scenario.ts";

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
  hco: { namespace: "openshift-cnv" },
  descheduler: { namespace: "openshift-kube-descheduler-operator" },
  objects: [],
  durations: usualDurations,
  faults: [],
};
