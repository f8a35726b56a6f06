// Findings about a node that is drained: its VMs, their migrations, its pods.

import { blockingFrom, type CatalogueEntry, mco, virt, warningFrom } from "./catalogue-entry.ts";

export const drainFindings = {
  VMNotMigratable: {
    ages: blockingFrom(120),
    message: "VM <v> cannot live-migrate (<reason>) and blocks the drain of <n>",
    command: "virtctl stop <vm> -n <ns>",
    detected: "The VM's eviction strategy is LiveMigrate, and its condition LiveMigratable is not True.",
    cause:
      "Its disks, host devices or networks tie the VM to its node, and its eviction strategy does not allow stopping it. KubeVirt refuses the eviction every time.",
    remedy:
      "Make the VM migratable: shared storage (ReadWriteMany), no host devices. With the eviction strategy `LiveMigrateIfPossible` such VMs are shut down instead; it counts from the VM's next start on. The last resort is to stop the VM: it is down until you start it again with `virtctl start`.",
  },
  VMNoTarget: {
    ages: blockingFrom(120),
    message: "No other node fits the selectors of VM <v>",
    command: "virtctl stop <vm> -n <ns>",
    detected: "The VM could migrate, but no other node has the labels, the taints and the readiness that it asks for.",
    cause: "A node selector, a required affinity or a missing toleration leaves the VM no other node.",
    remedy:
      "Label another node, or relax the VM's selectors. The last resort is to stop the VM: it is down until you start it again with `virtctl start`.",
  },
  ExternalEviction: {
    ages: blockingFrom(300),
    message: "VM <v> waits for an external controller",
    command: "virtctl migrate <vm> -n <ns>",
    detected: "The VM's eviction strategy is External, and it was asked to leave the node.",
    cause: "Another controller (such as a hosted cluster's) is in charge of moving this VM and has not done so.",
    remedy: "See to that controller, or migrate the VM yourself.",
  },
  EvacuationNotStarted: {
    ages: blockingFrom(120),
    message: "No migration was created for VM <v>",
    command: `${virt} get pods -l kubevirt.io=virt-controller`,
    detected: "The VM was asked to leave the node, a place for its migration is free, and there is none.",
    cause: "KubeVirt's virt-controller, which creates the migrations, does not run or is not elected.",
    remedy: "Bring virt-controller back; it goes on with all VMs that wait.",
  },
  EvictionWebhookDown: {
    ages: blockingFrom(120),
    message: "Evictions fail: virt-api does not answer",
    command: `${virt} get pods -l kubevirt.io=virt-api`,
    detected: "The drain fails with `failed calling webhook` for virt-launcher-eviction-interceptor.",
    cause:
      "Every eviction asks KubeVirt's virt-api first. It is down, or the API server cannot reach it, so no pod of a VM can be evicted.",
    remedy: "Bring virt-api back; check its service and network policies.",
  },
  MigrationsQueued: {
    ages: [{ severity: "info", seconds: 600 }],
    message: "<k> {k:migration waits|migrations wait}: <r> of <P> run, <x> of <O> from <n>",
    command: "oc get vmim -A",
    detected: "Migrations are Pending, and a limit on parallel migrations is reached.",
    cause: "More VMs must move than may move at once. This is the normal course of a large drain.",
    remedy:
      "Wait, or raise `liveMigrationConfig.parallelMigrationsPerCluster` or `parallelOutboundMigrationsPerNode` in the HyperConverged if the network bears it.",
  },
  LanesTaken: {
    ages: warningFrom(300),
    message: "<k> of <P> lanes are held by migrations without a target",
    command: "oc get vmim -A",
    detected:
      "Migrations are Pending, a limit is reached, and at least half of the cluster's places are held by migrations that find no node.",
    cause:
      "Migrations whose target pod cannot be scheduled hold their place for five minutes each, and others wait behind them.",
    remedy: "Make room, or cancel the migrations that find no node; see MigrationUnschedulable.",
  },
  MigrationUnschedulable: {
    ages: [
      { severity: "warning", seconds: 120 },
      { severity: "blocking", seconds: 300 },
    ],
    message: "No node takes VM <v>[ (<short> MiB short)]",
    detected:
      "The VM's migration is Scheduling, or ended so, over all attempts that never ran. The message tells how much memory is missing, where no node has what it asks for.",
    cause: "The scheduler finds no node for the target pod: too little memory or CPU, an affinity, a device, a volume.",
    remedy: "Add a node, stop or move other VMs, or stop this one. KubeVirt tries again by itself.",
  },
  MigrationFailing: {
    ages: blockingFrom(0),
    message: "Migration of VM <v> failed <k> times[: <reason>]",
    detected: "The last three migrations that the drain asked for have failed.",
    cause:
      "The migration starts and does not end well: the guest writes faster than it is copied, the network between the nodes, different CPU models, a volume.",
    remedy:
      "See the reason and the events of the VM. Stop the VM, or allow post-copy or a higher bandwidth in a MigrationPolicy.",
  },
  MigrationSlow: {
    ages: warningFrom(0),
    message: "Migration of VM <v> is cancelled in <t>: it writes faster than it is copied",
    command: `${virt} get kubevirts -o yaml`,
    detected: "The migration has run for more than 0.8 × `completionTimeoutPerGiB` × the guest's memory.",
    cause: "The guest changes its memory faster than the migration copies it, or the bandwidth limit is too low.",
    remedy:
      "Quieten the guest, raise `bandwidthPerMigration` or `completionTimeoutPerGiB`, or allow post-copy or auto-converge.",
  },
  MigrationHeld: {
    ages: blockingFrom(120),
    ageText: "2 min (quota: blocking; backup, utility volume: warning)",
    message: "Migration of VM <v> is held by <hold>",
    detected:
      "The migration has the condition migrationRejectedByResourceQuota, migrationBlockedByBackup or migrationBlockedByUtilityVolumes.",
    cause:
      "For the time of a migration a VM needs its resources twice, and the namespace's quota does not allow it; or a backup or a utility volume must end first.",
    remedy: "Raise the quota of the namespace; wait for the backup, or detach the utility volume.",
  },
  PodBudget: {
    ages: blockingFrom(300),
    message: "Pod <ns>/<pod> is protected by PodDisruptionBudget <b> (<h> healthy, <d> needed)",
    detected: "The pod is on a node that drains, and its PodDisruptionBudget allows no disruption.",
    cause: "The application has no replica to spare, or its budget asks for all replicas.",
    remedy:
      "Scale the application up, make its other pods healthy, or correct the budget. Whoever owns the application may also delete the pod.",
  },
  TwoBudgets: {
    ages: blockingFrom(300),
    message: "Pod <ns>/<pod> has two PodDisruptionBudgets and cannot be evicted",
    detected: "The pod is on a node that drains, and at least two PodDisruptionBudgets select it.",
    cause: "The eviction API refuses pods with more than one budget, whatever they allow.",
    remedy: "Delete one of the budgets, or narrow its selector.",
  },
  PodTerminating: {
    ages: blockingFrom(600),
    message: "Pod <ns>/<pod> does not end",
    detected:
      "The pod is on a node that drains, and its deletion was requested. If pods cannot be listed: the drain reports that it waits for the pod.",
    cause:
      "The pod was evicted and does not stop: a long grace period, a finalizer, a volume that cannot be unmounted, a kubelet that does not answer.",
    remedy: "See the pod's events and finalizers. Delete it with force only if you know that it does not run any more.",
  },
  DrainSlow: {
    ages: blockingFrom(900),
    ageText: "max(15 min, 2 × the predicted duration of the drain)",
    message: "Node <n> has been draining for <t>",
    command: `${mco} logs deploy/machine-config-controller`,
    detected: "The node is drained for longer than predicted, and none of the other causes is found.",
    cause: "Not known. The Machine Config Controller logs which pods it evicts and what the API server answers.",
    remedy: "Read the log, then `oc get pods -A --field-selector spec.nodeName=<n>` to see what is left on the node.",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
