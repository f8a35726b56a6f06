// The VMs on the nodes that a plan drains or reboots, each with what becomes of it.

import { type ClusterRooms, inNameOrder } from "./capacity.ts";
import type { NodeLoad } from "./duration.ts";
import type { AssessedPool } from "./pool-rollouts.ts";
import type { ClusterShape, VirtSettings } from "./virt-settings.ts";
import { type AssessedOutcome, outcomeOf } from "./vm-outcomes.ts";
import { migratedBytes, type VmFact } from "./vms.ts";

/** A VM on a node that changes; `bytes` are what a migration copies. */
export type DrainedVm = AssessedOutcome & { readonly vm: VmFact; readonly bytes: number };

/** The VMs that count, by the name of their node. */
export type VmsByNode = ReadonlyMap<string, readonly DrainedVm[]>;

/** What decides about VMs. */
export type DrainedVmsInput = {
  readonly vms: readonly VmFact[];
  readonly rooms: ClusterRooms;
  readonly settings: VirtSettings;
  readonly shape: ClusterShape;
  readonly runStrategies: ReadonlyMap<string, string>;
};

/** The names of the nodes whose VMs and pods count: all that get the configuration now or later. */
export function drainedNodes({ nodes }: Pick<AssessedPool, "nodes">): readonly string[] {
  return nodes.filter((each) => each.class === "Reboot" || each.class === "Drain").map(({ node }) => node.name);
}

/**
 * By node in rollout order, then by namespace and name; VMs without a node come last, if any node drains. Each VM that counts has one
 * outcome.
 */
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

/** Whether nobody has read yet if the owner of a VM starts it again: until then it counts as one that stops. */
export function isOwnerUnread({ vm, outcome }: DrainedVm, runStrategies: ReadonlyMap<string, string>): boolean {
  const { namespace, controller } = vm;
  return (
    outcome === "stop" && controller?.kind === "VirtualMachine" && !runStrategies.has(`${namespace}/${controller.name}`)
  );
}

// Lists come sorted from the server, and are sorted still unless VMs came later.
function sortByName(vms: readonly VmFact[]): readonly VmFact[] {
  const isSorted = vms.every((vm, at) => {
    const before = vms[at - 1];
    return before === undefined || inNameOrder(before, vm) <= 0;
  });
  return isSorted ? vms : vms.toSorted(inNameOrder);
}

// A node that goes twice counts where it goes last: then it gets the plan's change.
function waveOfNodes({ waves }: AssessedPool): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    waves.flatMap((wave) => {
      const names = new Set(wave);
      return wave.map((name) => [name, names] as const);
    }),
  );
}

/** What the VMs of a node contribute to the time of its drain. */
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
