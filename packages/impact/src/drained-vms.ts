// Predicts what a drain does to each VM, and whether the VMs of nodes that drain together fit on other nodes.

import { type Impact, type VmOutcome, vmOutcomes } from "@virt/api";
import { type ClusterShape, isEnded, migratedBytes, type VirtSettings, type VmFact } from "@virt/cluster";
import { type CapacityShortage, type ClusterRooms, inNameOrder } from "./capacity.ts";
import type { NodeLoad } from "./duration.ts";
import type { AssessedPool } from "./pool-rollouts.ts";

/** A VM on a node that drains. `bytes` is the amount of memory that its migration copies. */
export type DrainedVm = AssessedOutcome & { readonly vm: VmFact; readonly bytes: number };

export type VmsByNode = ReadonlyMap<string, readonly DrainedVm[]>;

export type DrainedVmsInput = {
  readonly vms: readonly VmFact[];
  readonly rooms: ClusterRooms;
  readonly settings: VirtSettings;
  readonly shape: ClusterShape;
  readonly runStrategies: ReadonlyMap<string, string>;
};

/** Returns the names of all nodes that drain or reboot during the rollout. */
export function drainedNodes({ nodes }: Pick<AssessedPool, "nodes">): readonly string[] {
  return nodes.filter((each) => each.class === "Reboot" || each.class === "Drain").map(({ node }) => node.name);
}

/** Returns the assessed VMs, sorted by node in rollout order, then by namespace and name. VMs without a node come last. */
export function assessVms(pools: readonly AssessedPool[], input: DrainedVmsInput): readonly DrainedVm[] {
  const byNode = Map.groupBy(input.vms, ({ node }) => node);
  const drained: DrainedVm[] = [];
  const changing = pools.map((pool) => ({ waves: waveOfNodes(pool), names: drainedNodes(pool) }));
  const unplaced = { waves: new Map<string, ReadonlySet<string>>(), names: [""] };
  const isDraining = changing.some(({ names }) => names.length > 0);
  for (const { waves, names } of [...changing, ...(isDraining ? [unplaced] : [])]) {
    for (const name of names) {
      const wave = waves.get(name) ?? new Set([name]);
      const outcomes = {
        settings: input.settings,
        isSingleReplica: input.shape.isSingleReplica,
        runStrategyOf: (namespace: string, owner: string) => input.runStrategies.get(`${namespace}/${owner}`),
        hasTarget: ({ placement }: VmFact) => input.rooms.hasTarget(placement, wave),
      };
      for (const vm of sortByName(byNode.get(name) ?? [])) {
        const found = outcomeOf(vm, outcomes);
        if (found !== undefined)
          drained.push({ vm, outcome: found.outcome, reason: found.reason, bytes: migratedBytes(vm) });
      }
    }
  }
  return drained;
}

/** Reports whether the VM counts as `stop` only because its owner has not been read yet. */
export function isOwnerUnread({ vm, outcome }: DrainedVm, runStrategies: ReadonlyMap<string, string>): boolean {
  const { namespace, controller } = vm;
  return (
    outcome === "stop" && controller?.kind === "VirtualMachine" && !runStrategies.has(`${namespace}/${controller.name}`)
  );
}

// The list is usually sorted already, because the API server returns sorted lists.
function sortByName(vms: readonly VmFact[]): readonly VmFact[] {
  const isSorted = vms.every((vm, at) => {
    const before = vms[at - 1];
    return before === undefined || inNameOrder(before, vm) <= 0;
  });
  return isSorted ? vms : vms.toSorted(inNameOrder);
}

// Returns the wave of each node. A node in two waves counts in the last one, in which it gets the plan's change.
function waveOfNodes({ waves }: AssessedPool): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    waves.flatMap((wave) => {
      const names = new Set(wave);
      return wave.map((name) => [name, names] as const);
    }),
  );
}

export function loadOf(drained: readonly DrainedVm[]): Omit<NodeLoad, "class"> {
  const bytes = drained.filter(({ outcome }) => outcome === "migrate").map((each) => each.bytes);
  const ending = drained.filter(({ outcome }) => outcome === "stop" || outcome === "restart");
  const graces = ending.map(({ vm }) => vm.gracePeriodSeconds);
  return {
    migrations: {
      count: bytes.length,
      bytes: bytes.reduce((total, each) => total + each, 0),
      largest: bytes.reduce((most, each) => Math.max(most, each), 0),
    },
    gracePeriodSeconds: graces.length === 0 ? undefined : graces.reduce((most, each) => Math.max(most, each)),
  };
}

/** `reason` is empty if the outcome is self-explanatory. */
export type AssessedOutcome = { readonly outcome: VmOutcome; readonly reason: string };

export type VmOutcomeInput = {
  readonly settings: Pick<VirtSettings, "evictionStrategy">;
  /** True if the Machine Config Operator reboots nodes without draining them. */
  readonly isSingleReplica: boolean;
  /** Returns the run strategy of a VirtualMachine. If it is undefined, the VM counts as stopping. */
  readonly runStrategyOf: (namespace: string, name: string) => string | undefined;
  readonly hasTarget: (vm: VmFact) => boolean;
};

// Shared objects, because thousands of VMs have one of these outcomes.
const migrating: AssessedOutcome = { outcome: "migrate", reason: "" };
const stopping: AssessedOutcome = { outcome: "stop", reason: "" };
const restarting: AssessedOutcome = { outcome: "restart", reason: "" };

/** Returns undefined if the VM has ended or is being deleted. A VM without a node may start on any node. */
export function outcomeOf(vm: VmFact, input: VmOutcomeInput): AssessedOutcome | undefined {
  if (isEnded(vm) || vm.isDeleting) return undefined;
  if (vm.node === "") return { outcome: "unknown", reason: "NoNode" };
  const strategy = vm.evictionStrategy ?? input.settings.evictionStrategy;
  if (vm.phase === "Unknown" || vm.phase === "") return { outcome: "unknown", reason: "PhaseUnknown" };
  if (vm.placement.isTooLarge) return { outcome: "unknown", reason: "PlacementTooLarge" };
  if (strategy === undefined) return { outcome: "unknown", reason: "EvictionStrategyUnknown" };
  if (vm.phase !== "Running") return { outcome: "starting", reason: "" };
  if (input.isSingleReplica) return stopOrRestart(vm, input);
  const isMigratable = vm.liveMigratable?.isTrue === true;
  if (isMigratable && (strategy === "LiveMigrate" || strategy === "LiveMigrateIfPossible"))
    return input.hasTarget(vm) ? migrating : { outcome: "block", reason: "NoTargetNode" };
  if (strategy === "LiveMigrate")
    return { outcome: "block", reason: vm.liveMigratable?.reason || "LiveMigratableUnknown" };
  if (strategy === "External") return { outcome: "external", reason: "" };
  return stopOrRestart(vm, input);
}

// After a clean shutdown the VM has phase Succeeded, so RerunOnFailure does not restart it.
function stopOrRestart({ namespace, controller }: VmFact, { runStrategyOf }: VmOutcomeInput): AssessedOutcome {
  const isRestarted =
    controller?.kind === "VirtualMachineInstanceReplicaSet" ||
    (controller?.kind === "VirtualMachine" && runStrategyOf(namespace, controller.name) === "Always");
  return isRestarted ? restarting : stopping;
}

export type CapacityInput = {
  readonly rooms: ClusterRooms;
  readonly shape: ClusterShape;
  readonly runStrategies: ReadonlyMap<string, string>;
  /** False if the VMs could not be read. */
  readonly isAssessed: boolean;
};

const MiB = 2 ** 20;

/**
 * Returns the capacity for the wave of nodes with the largest shortage. If there is no shortage but some VMs cannot be
 * assessed, returns `Unknown`.
 */
export function assessCapacity(
  pools: readonly AssessedPool[],
  byNode: VmsByNode,
  { rooms, shape, runStrategies, isAssessed }: CapacityInput,
): Impact["capacity"] {
  const none = { nodes: [], unplacedVMs: 0, unplacedMiB: 0 };
  if (!isAssessed) return { fits: "Unknown", ...none };
  if (shape.isSingleReplica) return { fits: "Yes", ...none };
  const isMoving = ({ outcome }: DrainedVm) => outcome === "migrate" || outcome === "restart";
  const movingFrom = (names: readonly string[]) =>
    names.flatMap((name) => (byNode.get(name) ?? []).filter(isMoving).map(({ vm }) => vm));
  const shortages = pools.flatMap(({ waves }) =>
    waves.flatMap((wave) => rooms.placeWave(wave, movingFrom(wave)) ?? []),
  );
  const worst = shortages.reduce<CapacityShortage | undefined>(
    (most, each) => (each.unplacedBytes > (most?.unplacedBytes ?? 0) ? each : most),
    undefined,
  );
  if (worst !== undefined)
    return {
      fits: "No",
      nodes: worst.nodes,
      unplacedVMs: worst.unplacedVms,
      unplacedMiB: Math.ceil(worst.unplacedBytes / MiB),
    };
  const mayMove = (each: DrainedVm) => each.outcome === "unknown" || isOwnerUnread(each, runStrategies);
  const inWave = new Set(pools.flatMap(({ waves }) => waves.flat()));
  const isPlaced = (each: DrainedVm) => !isMoving(each) || (isSized(each.vm) && inWave.has(each.vm.node));
  const isKnown = [...byNode.values()].flat().every((each) => !mayMove(each) && isPlaced(each));
  return { fits: isKnown ? "Yes" : "Unknown", ...none };
}

function isSized({ guestMemory, requestedMemory }: VmFact): boolean {
  return guestMemory !== undefined || requestedMemory !== undefined;
}

export function countOutcomes(drained: readonly DrainedVm[]): Impact["vms"] & object {
  const counts = Object.fromEntries(vmOutcomes.map((outcome) => [outcome, 0])) as Record<VmOutcome, number>;
  for (const { outcome } of drained) counts[outcome] += 1;
  return counts;
}
