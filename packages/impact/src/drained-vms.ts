import { type ClusterShape, migratedBytes, type VirtSettings, type VmFact } from "@virt/cluster";
import { type ClusterRooms, inNameOrder } from "./capacity.ts";
import type { NodeLoad } from "./duration.ts";
import type { AssessedPool } from "./pool-rollouts.ts";
import { type AssessedOutcome, outcomeOf } from "./vm-outcomes.ts";

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
