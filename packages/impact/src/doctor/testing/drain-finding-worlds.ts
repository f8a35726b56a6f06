import { vmObject } from "../../testing/cluster-builder.ts";
import {
  big,
  budget,
  deletedPod,
  draining,
  drainMessage,
  type FindingWorld,
  failedMigration,
  hco,
  lanes,
  mcdLog,
  shopPod,
  vmDescribed,
  vmOn,
  withVm,
} from "./finding-parts.ts";
import { migrationObject } from "./rollout-builder.ts";

export const drainFindingWorlds: readonly FindingWorld[] = [
  {
    id: "VMNotMigratable",
    world: withVm(vmOn({ isMigratable: false })),
    age: 120,
    message: "VM vms/vm-0 cannot be live-migrated (DisksNotLiveMigratable) and is blocking the drain of worker-0",
    command: vmDescribed,
  },
  {
    id: "VMNoTarget",
    world: withVm(vmOn({ spec: { nodeSelector: { disk: "local" } } })),
    age: 120,
    message: "No other node matches the scheduling requirements of VM vms/vm-0",
    command: vmDescribed,
  },
  {
    id: "ExternalEviction",
    world: withVm(vmOn({ strategy: "External" })),
    age: 300,
    message: "VM vms/vm-0 is waiting for an external controller",
    command: "virtctl migrate vm-0 -n vms",
  },
  {
    id: "EvacuationNotStarted",
    world: withVm(vmOn(), [], { operators: [hco] }),
    age: 120,
    message: "No migration was created for VM vms/vm-0",
    command: "oc -n virt get pods -l kubevirt.io=virt-controller",
  },
  {
    id: "EvictionWebhookDown",
    world: drainMessage('failed calling webhook "virt-launcher-eviction-interceptor.kubevirt.io": connection refused'),
    age: 120,
    message: "Evictions fail because virt-api does not respond",
    command: "oc -n openshift-cnv get pods -l kubevirt.io=virt-api",
  },
  {
    id: "MigrationsQueued",
    world: lanes(["Running", "Running", "Pending"]),
    age: 600,
    severity: "info",
    message: "1 migration is pending: 2 of 5 running in the cluster, 2 of 2 from worker-0",
    command: "oc get vmim -A",
  },
  {
    id: "LanesTaken",
    world: {
      nodes: draining,
      vms: ["a", "b", "c"].map((name) => vmObject(name, "worker-1")).concat(vmObject("vm-0", "worker-0")),
      vmims: [
        ...["a", "b", "c"].map((name) => migrationObject(name, "Scheduling")),
        migrationObject("vm-0", "Pending"),
      ],
      migrations: { parallelMigrationsPerCluster: 3 },
    },
    age: 300,
    message: "3 of 3 migration slots are used by migrations without a target node",
    command: "oc get vmim -A",
  },
  {
    id: "MigrationUnschedulable",
    world: withVm(vmOn(big), [migrationObject("vm-0", "Scheduling")]),
    age: 120,
    // 250 GiB plus 280 + 16 + 500 MiB of overhead, minus the 216 GiB that are free on a worker.
    message: "No node has room for VM vms/vm-0 (35612 MiB short)",
    command: vmDescribed,
  },
  {
    id: "MigrationFailing",
    world: withVm(vmOn(), [failedMigration(1), failedMigration(2), failedMigration(3)]),
    age: 0,
    message: "Migration of VM vms/vm-0 failed 3 times: target lost",
    command: vmDescribed,
  },
  {
    id: "MigrationSlow",
    // 8 GiB at 150 s each: 1200 s, of which 80% are 960 s.
    world: withVm(vmOn(), [migrationObject("vm-0", "Running")]),
    age: 961,
    message: "Migration of VM vms/vm-0 times out in 4 minutes: the guest writes memory faster than it is copied",
    command: "oc -n openshift-cnv get kubevirts -o yaml",
  },
  {
    id: "MigrationHeld",
    world: withVm(vmOn(), [
      migrationObject("vm-0", "Pending", {
        status: { conditions: [{ type: "migrationRejectedByResourceQuota", status: "True" }] },
      }),
    ]),
    age: 120,
    message: "Migration of VM vms/vm-0 is blocked by the quota",
    command: vmDescribed,
  },
  {
    id: "PodBudget",
    world: { nodes: draining, drainedPods: { "worker-0": [shopPod] }, budgets: [budget("db")] },
    age: 300,
    message: "Pod shop/db-0 is protected by PodDisruptionBudget db (2 healthy, 2 needed)",
    command: "oc describe pod db-0 -n shop",
  },
  {
    id: "TwoBudgets",
    world: { nodes: draining, drainedPods: { "worker-0": [shopPod] }, budgets: [budget("db"), budget("all")] },
    age: 300,
    message: "Pod shop/db-0 has two PodDisruptionBudgets and cannot be evicted",
    command: "oc describe pod db-0 -n shop",
  },
  {
    id: "PodTerminating",
    world: { nodes: draining, drainedPods: { "worker-0": [deletedPod("2026-01-02T00:00:30Z", 30)] } },
    age: 600,
    message: "Pod shop/db-0 is stuck terminating",
    command: "oc describe pod db-0 -n shop",
  },
  {
    id: "DrainSlow",
    world: { nodes: draining },
    age: 900,
    message: "Node worker-0 has been draining for 15 minutes",
    command: mcdLog,
  },
];
