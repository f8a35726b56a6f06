// Scenarios about node drains: blockers, lack of capacity and slow steps.

import type { KubeObject } from "@virt/objects";
import { defaultDurations, type NodeGroup, type Scenario, type VmGroup } from "./scenario.ts";
import { standard } from "./standard-scenarios.ts";

const masters: NodeGroup = { name: "master", count: 3, roles: ["master", "control-plane"], cpus: 16, memoryGiB: 64 };
const workers = (count: number, more: Partial<NodeGroup> = {}): NodeGroup => ({
  name: "worker",
  count,
  roles: ["worker"],
  cpus: 64,
  memoryGiB: 248,
  ...more,
});
const vms = (name: string, nodes: readonly string[], more: Partial<VmGroup> = {}): VmGroup => ({
  name,
  namespace: "vms",
  count: nodes.length,
  memoryGiB: [8],
  cpus: 2,
  evictionStrategy: "LiveMigrate",
  nodes,
  ...more,
});
const workerNames = (count: number) => Array.from({ length: count }, (_, index) => `worker-${index}`);

const twelve = Array.from({ length: 12 }, (_, index) => `w-${`${index + 1}`.padStart(2, "0")}`);

const blastRadius: Scenario = {
  ...standard,
  about:
    "12 workers and 222 virtual machines with earlier migrations: 6 on w-03 and w-07 block the drain, 2 on w-05 stop",
  nodes: [masters, workers(12, { names: twelve })],
  vms: [
    vms("vm", twelve, { count: 214, lastMigrationPerGiB: [4, 6, 7, 9] }),
    vms("pinned", ["w-03", "w-03", "w-07"], { count: 6, unmigratable: "DisksNotLiveMigratable" }),
    vms("lab", ["w-05"], { count: 2, evictionStrategy: "None", runStrategy: "Manual" }),
  ],
  durations: { ...defaultDurations, reboot: 990 },
};

const mixed = (name: string, more: Partial<VmGroup>) => vms(name, ["worker-0"], { memoryGiB: [4], ...more });
const unmigratable = "DisksNotLiveMigratable";
const { evictionStrategy: _strategy, ...unspoken } = mixed("unspoken", {});

const mixedVms: Scenario = {
  ...standard,
  about: "3 workers; worker-0 has one virtual machine for each drain outcome",
  nodes: [masters, workers(3)],
  vms: [
    mixed("movable", {}),
    mixed("paused", { faults: { paused: "" } }),
    mixed("unmovable", { unmigratable }),
    mixed("unknown", { faults: { "migratability-unknown": "" } }),
    mixed("pinned", { nodeSelector: { "kubernetes.io/hostname": "worker-0" } }),
    unspoken,
    mixed("possible", { evictionStrategy: "LiveMigrateIfPossible" }),
    mixed("possible-always", { evictionStrategy: "LiveMigrateIfPossible", unmigratable }),
    mixed("possible-manual", { evictionStrategy: "LiveMigrateIfPossible", unmigratable, runStrategy: "Manual" }),
    mixed("none-always", { evictionStrategy: "None" }),
    mixed("none-rerun", { evictionStrategy: "None", runStrategy: "RerunOnFailure" }),
    mixed("none-alone", { evictionStrategy: "None", owner: "None" }),
    mixed("none-replica", { evictionStrategy: "None", owner: "VirtualMachineInstanceReplicaSet" }),
    mixed("external", { evictionStrategy: "External" }),
    mixed("starting", { faults: { stays: "Scheduling" } }),
    mixed("lost", { faults: { stays: "Unknown" } }),
    mixed("ended", { faults: { stays: "Succeeded" } }),
    mixed("deleted", { faults: { "never-ends": "" } }),
  ],
};

const restartCrio = [{ type: "Restart", restart: { serviceName: "crio.service" } }];

const disruptionPolicy: Scenario = {
  ...standard,
  about: "12 workers whose disruption policies apply the swap of virt-higher-density without a reboot",
  nodes: [masters, workers(12, { swapGiB: 128 })],
  vms: [vms("vm", workerNames(12), { count: 24 })],
  nodeDisruptionPolicy: {
    files: ["/etc/find-swap-partition", "/etc/openshift/kubelet.conf.d/90-swap.conf"].map((path) => ({
      path,
      actions: restartCrio,
    })),
    units: ["swap-provision.service", "cgroup-system-slice-config.service"].map((name) => ({
      name,
      actions: restartCrio,
    })),
  },
};

/** Two large VMs fill the 100 GiB of each worker. */
const full = (count: number) => workers(count, { memoryGiB: 103 });
const large = (count: number) => vms("large", workerNames(count), { count: 2 * count, memoryGiB: [40], cpus: 4 });

const noRoom: Scenario = {
  ...standard,
  about: "3 workers without room for the virtual machines of another worker",
  nodes: [masters, full(3)],
  vms: [large(3)],
};

const starvedLanes: Scenario = {
  ...standard,
  about: "6 full workers, 5 at a time: migrations without a target use all migration slots",
  nodes: [masters, full(6)],
  pools: [{ name: "master" }, { name: "worker", maxUnavailable: 5 }],
  vms: [large(6)],
};

function pod(name: string, labels: Readonly<Record<string, string>>, more: object = {}): KubeObject {
  const containers = [{ name: "app", image: "registry.invalid/app:simulated" }];
  const spec = { nodeName: "worker-1", terminationGracePeriodSeconds: 0, containers };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "apps", labels, ...more }, spec };
}

function ownedBy(kind: string): object {
  const owner = { apiVersion: "apps/v1", kind, name: "app", uid: "00000000-0000-4000-8000-000000000001" };
  return { ownerReferences: [{ ...owner, controller: true }] };
}

function budget(name: string, app: string): KubeObject {
  const spec = { minAvailable: 1, selector: { matchLabels: { app } } };
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name, namespace: "apps" }, spec };
}

const budgets: Scenario = {
  ...standard,
  about: "3 workers with KubeVirt 1.5; worker-1 has pods with and without disruption budgets",
  kubevirtVersion: "1.5",
  nodes: [masters, workers(3)],
  vms: [vms("vm", ["worker-1"])],
  objects: [
    pod("protected", { app: "protected" }, ownedBy("ReplicaSet")),
    budget("protected", "protected"),
    pod("twice", { app: "twice" }, ownedBy("ReplicaSet")),
    budget("first", "twice"),
    budget("second", "twice"),
    pod("bare", { app: "bare" }),
    pod("agent", { app: "agent" }, ownedBy("DaemonSet")),
    pod("static", { app: "static" }, { annotations: { "kubernetes.io/config.mirror": "simulated" } }),
  ],
};

const big: Scenario = {
  ...standard,
  about: "500 workers, 50 at a time, with 5300 virtual machines, 300 of which block the drain",
  nodes: [masters, workers(500)],
  pools: [{ name: "master" }, { name: "worker", maxUnavailable: "10%" }],
  vms: [
    vms("vm", workerNames(500), { count: 5000, memoryGiB: [4] }),
    vms("pinned", workerNames(300), { memoryGiB: [4], unmigratable }),
  ],
};

const cordoned: Scenario = {
  ...standard,
  about: "3 workers; worker-1 is cordoned, so no other node may start",
  nodes: [masters, workers(3)],
  vms: [vms("vm", workerNames(3), { count: 12 })],
  faults: [{ afterSeconds: 60, kind: "Node", name: "worker-1", annotation: "cordon", value: "" }],
};

const slowReboot: Scenario = {
  ...standard,
  about: "3 workers; the reboot of worker-0 takes 10 hours",
  nodes: [masters, workers(3)],
  vms: [vms("vm", workerNames(3), { count: 12 })],
  faults: [{ afterSeconds: 0, kind: "Node", name: "worker-0", annotation: "slow-reboot", value: "10h" }],
};

export const drainScenarios: readonly (readonly [string, Scenario])[] = [
  ["blast-radius", blastRadius],
  ["mixed-vms", mixedVms],
  ["disruption-policy", disruptionPolicy],
  ["no-room", noRoom],
  ["budgets", budgets],
  ["big", big],
  ["cordoned", cordoned],
  ["slow-reboot", slowReboot],
  ["starved-lanes", starvedLanes],
];
