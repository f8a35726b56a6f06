// What a simulated cluster consists of and how fast things are in it. The same shape in a file and in the code.

import type { JsonMap, KubeObject } from "@virt/engine";

export type Scenario = {
  readonly about: string;
  readonly topology: "HighlyAvailable" | "SingleReplica";
  readonly platform: string;
  readonly mastersSchedulable: boolean;
  readonly nodes: readonly NodeGroup[];
  readonly pools: readonly PoolSpec[];
  readonly vms: readonly VmGroup[];
  readonly kubevirtVersion: string; // as in 1.9; 1.5 and older make a PodDisruptionBudget for each machine
  readonly nodeDisruptionPolicy?: JsonMap; // the user's, of the MachineConfiguration
  readonly hco?: HcoSpec;
  readonly descheduler?: DeschedulerSpec;
  readonly objects: readonly KubeObject[]; // whatever else is to be there
  readonly durations: Durations;
  readonly faults: readonly ScenarioFault[];
};

/** `count` nodes with the names `<name>-0`, `<name>-1` and so on, or their own, dealt out to the zones in turn. */
export type NodeGroup = {
  readonly name: string;
  readonly count: number;
  readonly names?: readonly string[];
  readonly roles: readonly string[]; // as in node-role.kubernetes.io/<role>
  readonly zones?: readonly string[];
  readonly cpus: number;
  readonly memoryGiB: number;
  readonly swapGiB?: number; // of a partition that is prepared for swap; none if not given
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** `master` and `worker` are as OpenShift has them; any other name is a custom pool that inherits `worker`. */
export type PoolSpec = {
  readonly name: string;
  readonly paused?: boolean;
  readonly maxUnavailable?: number | string;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** `count` virtual machines with the names `<name>-0` and so on; memory is dealt out to them in turn. */
export type VmGroup = {
  readonly name: string;
  readonly namespace: string;
  readonly count: number;
  readonly memoryGiB: readonly number[];
  readonly cpus?: number; // one for each 4 GiB if not given
  readonly evictionStrategy?: EvictionStrategy;
  readonly owner?: MachineOwner; // a VirtualMachine if not given
  readonly runStrategy?: RunStrategy; // of its VirtualMachine; Always if not given
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly gracePeriodSeconds?: number;
  readonly unmigratable?: string; // the reason why it cannot migrate
  readonly nodes?: readonly string[]; // where they run at first, in turn; else the seed decides
  readonly lastMigrationPerGiB?: readonly number[]; // seconds: they have migrated once, in turn this fast
  readonly faults?: Readonly<Record<string, string>>; // annotations under simulator.kubevirt.io/ that it is made with
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

/** The operator is installed. With a spec there is a KubeDescheduler as well; without one, somebody else makes it. */
type DeschedulerSpec = {
  readonly namespace: string;
  readonly spec?: JsonMap;
  readonly needsPsi?: boolean; // its operator refuses the profile until its own node has PSI, as from OpenShift 4.19
  readonly evictEverySeconds?: number; // how often it moves a machine while it is in mode Automatic; never if not given
};

/** Seconds of simulated time. Each is stretched or shortened by up to a fifth, by the seed. */
export type Durations = {
  readonly render: number; // from a change until a pool aims at it
  readonly drain: number; // for all that is not a virtual machine
  readonly drainTimeout: number; // after that a node that cannot be drained calls itself degraded
  readonly apply: number;
  readonly reboot: number;
  readonly migration: number; // of a machine without memory
  readonly migrationPerGiB: number;
  readonly shutdown: number;
  readonly operators: number; // until HCO or descheduler have carried out a change
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

/** Kinds that faults are set on. */
export const faultKinds = [
  "Node",
  "MachineConfigPool",
  "VirtualMachineInstance",
  "Pod",
  "KubeVirt",
  "HyperConverged",
  "KubeDescheduler",
] as const;

/** Sets an annotation under simulator.kubevirt.io/ on an object, so many seconds after it exists; null takes it away. */
export type ScenarioFault = {
  readonly afterSeconds: number;
  readonly kind: (typeof faultKinds)[number];
  readonly namespace?: string;
  readonly name: string;
  readonly annotation: string;
  readonly value: string | null;
};
