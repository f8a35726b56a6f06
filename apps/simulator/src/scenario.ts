// Defines a simulated cluster and the durations of its operations. Scenario files have the same structure.

import type { JsonMap, KubeObject } from "@virt/objects";

export type Scenario = {
  readonly about: string;
  readonly topology: "HighlyAvailable" | "SingleReplica";
  readonly platform: string;
  readonly mastersSchedulable: boolean;
  readonly nodes: readonly NodeGroup[];
  readonly pools: readonly PoolSpec[];
  readonly vms: readonly VmGroup[];
  readonly kubevirtVersion: string; // such as 1.9; up to 1.5, each VM has its own PodDisruptionBudget
  readonly nodeDisruptionPolicy?: JsonMap; // the spec of the MachineConfiguration
  readonly hco?: HcoSpec;
  readonly descheduler?: DeschedulerSpec;
  readonly autopilot?: boolean; // installs virt-platform-autopilot next to the HyperConverged; default: false
  readonly objects: readonly KubeObject[];
  readonly durations: Durations;
  readonly faults: readonly ScenarioFault[];
};

/** A group of `count` nodes, named `<name>-0` and so on, or as listed in `names`. They are assigned to the zones in turn. */
export type NodeGroup = {
  readonly name: string;
  readonly count: number;
  readonly names?: readonly string[];
  readonly roles: readonly string[];
  readonly zones?: readonly string[];
  readonly cpus: number;
  readonly memoryGiB: number;
  readonly swapGiB?: number; // size of the swap partition; default: none
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** A MachineConfigPool. All pools except `master` and `worker` are custom pools that inherit from `worker`. */
export type PoolSpec = {
  readonly name: string;
  readonly paused?: boolean;
  readonly maxUnavailable?: number | string;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** A group of `count` VMs, named `<name>-0` and so on. Memory sizes are assigned in turn. */
export type VmGroup = {
  readonly name: string;
  readonly namespace: string;
  readonly count: number;
  readonly memoryGiB: readonly number[];
  readonly cpus?: number; // default: one per 4 GiB
  readonly evictionStrategy?: EvictionStrategy;
  readonly owner?: MachineOwner; // default: VirtualMachine
  readonly runStrategy?: RunStrategy; // default: Always
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly gracePeriodSeconds?: number;
  readonly unmigratable?: string; // the reason why it cannot migrate
  readonly nodes?: readonly string[]; // initial nodes in turn; default: by seed
  readonly lastMigrationPerGiB?: readonly number[]; // seconds per GiB of a past migration, in turn
  readonly faults?: Readonly<Record<string, string>>; // annotations under simulator.kubevirt.io/
};

type EvictionStrategy = "None" | "LiveMigrate" | "LiveMigrateIfPossible" | "External";
type MachineOwner = "VirtualMachine" | "VirtualMachineInstanceReplicaSet" | "None";
type RunStrategy = "Always" | "RerunOnFailure" | "Manual" | "Halted";

export type HcoSpec = {
  readonly namespace: string;
  readonly memoryOvercommitPercentage?: number;
  readonly liveMigrationConfig?: JsonMap;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** The installed operator. With `spec`, the scenario also creates the KubeDescheduler. */
type DeschedulerSpec = {
  readonly namespace: string;
  readonly spec?: JsonMap;
  readonly needsPsi?: boolean; // as since OpenShift 4.19: rejects the profile until PSI is enabled on its node
  readonly evictEverySeconds?: number; // interval of evictions in mode Automatic; default: never
};

/** Durations in simulated seconds. Each varies by up to 20%, depending on the seed. */
export type Durations = {
  readonly render: number; // until a pool has the new target
  readonly drain: number; // of everything except VMs
  readonly drainTimeout: number; // after this time, the node is degraded
  readonly apply: number;
  readonly reboot: number;
  readonly migration: number; // excluding the memory copy
  readonly migrationPerGiB: number;
  readonly shutdown: number;
  readonly operators: number; // until HCO or the descheduler operator has applied a change
};

export const defaultDurations: Durations = {
  render: 5,
  drain: 60,
  drainTimeout: 3600,
  apply: 30,
  reboot: 300,
  migration: 10,
  migrationPerGiB: 4,
  shutdown: 30,
  operators: 20,
};

export const faultKinds = [
  "Node",
  "MachineConfigPool",
  "VirtualMachineInstance",
  "Pod",
  "KubeVirt",
  "HyperConverged",
  "KubeDescheduler",
] as const;

/**
 * A fault that starts some time after its object appears. It is an annotation under simulator.kubevirt.io/, and null
 * removes it.
 */
export type ScenarioFault = {
  readonly afterSeconds: number;
  readonly kind: (typeof faultKinds)[number];
  readonly namespace?: string;
  readonly name: string;
  readonly annotation: string;
  readonly value: string | null;
};
