// Predicts the effect of a plan on nodes, VMs and pods, and its duration.

import {
  type Impact,
  type ImpactEntry,
  type ImpactPool,
  type KubeObject,
  type NotAssessedReason,
  type PoolDisruption,
} from "@virt/api";
import {
  type BudgetFact,
  type ClusterShape,
  type NodeFact,
  type PodFact,
  type RenderedOf,
  readClusterShape,
  readVirtSettings,
  type VirtSettings,
  type VmFact,
} from "@virt/cluster";
import { compareUtf8 } from "@virt/objects";
import { type Assessment, assessedOr } from "./assessed.ts";
import { ClusterRooms } from "./capacity.ts";
import { assessBudgets } from "./cost-limit.ts";
import type { DisruptionPolicies } from "./disruption-class.ts";
import { assessPods, countPods, type DrainedPod } from "./drained-pods.ts";
import { assessCapacity, assessVms, countOutcomes, type DrainedVm, loadOf, type VmsByNode } from "./drained-vms.ts";
import {
  assessDurations,
  durationText,
  type MigrationRate,
  migrationRate,
  type PoolLoad,
  restartBounds,
} from "./duration.ts";
import { gapsOf } from "./impact-gaps.ts";
import { boundImpact, summarizeImpact, unassessedSummary, withoutVmNames } from "./impact-status.ts";
import { assumesLabels } from "./placement.ts";
import { type AssessedPool, assessPools } from "./pool-rollouts.ts";
import { hasTies, rolloutNodeOf } from "./rollout.ts";

/** The inputs of an assessment. An input that could not be read contains the reason. */
export type ImpactFacts = {
  readonly assessedAt: string;
  /** The effect of the plan's own MachineConfigs on each pool. */
  readonly disruption: readonly PoolDisruption[];
  readonly pools: readonly KubeObject[];
  readonly nodes: Assessment<readonly NodeFact[]>;
  readonly policies: Assessment<DisruptionPolicies>;
  /** Returns a rendered config that nodes run or will run soon. If it is unknown, the assessment assumes a reboot. */
  readonly renderedOf: RenderedOf;
  readonly kubeletConfigs: Assessment<readonly KubeObject[]>;
  readonly shape: Assessment<ClusterShape>;
  readonly settings: Assessment<VirtSettings>;
  /** The HyperConverged's settings, used if KubeVirt's are unknown. Absent means KubeVirt's defaults. */
  readonly fallbackSettings?: VirtSettings;
  readonly vms: Assessment<readonly VmFact[]>;
  /** Run strategies by `namespace/name` of the VirtualMachine. */
  readonly runStrategies: Assessment<ReadonlyMap<string, string>>;
  readonly budgets: Assessment<readonly BudgetFact[]>;
  /** Pods by node. A node without an entry was not listed. */
  readonly pods: Assessment<ReadonlyMap<string, readonly PodFact[]>>;
  readonly restartSamples: ReadonlyMap<string, readonly number[]>;
};

export type ImpactOptions = {
  /** If true, the result contains `*` instead of VM names. */
  readonly hidesVmNames?: boolean;
};

/** Assesses the impact. Never throws or waits. Inputs that could not be read are listed in `notAssessed`. */
export function assessImpact(given: ImpactFacts, { hidesVmNames = false }: ImpactOptions = {}): Impact {
  const facts = { ...given, budgets: assessBudgets(given.budgets, assessedOr(given.pods, new Map())) };
  if (!facts.nodes.isAssessed) return boundImpact(unassessed(facts, facts.nodes.reason, facts.nodes.message));
  const nodes = facts.nodes.value;
  const shape = assessedOr(facts.shape, readClusterShape(undefined));
  const settings = settingsInForce(facts);
  const pools = assessPools({ ...facts, nodes });
  const vms = assessedOr(facts.vms, []);
  const rooms = new ClusterRooms(nodes, vms, settings);
  const runStrategies = assessedOr(facts.runStrategies, new Map<string, string>());
  const drained = assessVms(pools, { vms, rooms, settings, shape, runStrategies });
  const byNode = Map.groupBy(drained, ({ vm }) => vm.node);
  const pods = assessPods(pools, { shape, pods: facts.pods, budgets: facts.budgets });
  const rate = migrationRate(vms, settings);
  const durations = assessDurations(runningLoads(pools, byNode, facts), { rate, settings, shape });
  const rollout = pools.map((pool): ImpactPool => {
    const bounds = durations.pools.get(pool.name);
    return {
      name: pool.name,
      class: pool.class,
      nodes: pool.starting.length,
      held: pool.held.length,
      atOnce: pool.atOnce,
      waves: pool.waves.length,
      ...(pool.holdup !== undefined && { holdup: pool.holdup }),
      ...(pool.heldBy !== undefined && { heldBy: pool.heldBy }),
      order: pool.nodes.map(({ node }) => node.name),
      ...(bounds && { lowSeconds: bounds.low, highSeconds: bounds.high }),
    };
  });
  const { plan } = durations;
  const impact = {
    nodes: sum(pools.map(({ starting }) => starting.length)),
    held: sum(pools.map(({ held }) => held.length)),
    ...(facts.vms.isAssessed && { vms: countOutcomes(drained) }),
    ...(pods.isAssessed && { pods: countPods(pods.value) }),
    ...(plan && {
      duration: {
        lowSeconds: plan.low,
        highSeconds: plan.high,
        text: durationText(plan),
        restart: restartSource(pools, facts),
        migration: rate.source,
      },
    }),
    capacity: assessCapacity(pools, byNode, { rooms, shape, runStrategies, isAssessed: facts.vms.isAssessed }),
    pools: rollout,
    ...entriesOfImpact(pools, byNode, assessedOr(pods, [])),
    notAssessed: gapsOf(facts, { pools, drained, pods }),
  };
  const assumes = assumptions(pools, drained, rate);
  const more = { pools: 0, blockers: 0, stops: 0 };
  const whole = { assessedAt: facts.assessedAt, summary: summarizeImpact(impact), ...impact, more, assumes };
  return boundImpact(hidesVmNames ? withoutVmNames(whole) : whole);
}

/** Returns KubeVirt's settings. If they could not be read, returns the fallback. */
export function settingsInForce({
  settings,
  fallbackSettings,
}: Pick<ImpactFacts, "settings" | "fallbackSettings">): VirtSettings {
  return assessedOr(settings, fallbackSettings ?? readVirtSettings(undefined, undefined));
}

function unassessed({ assessedAt }: ImpactFacts, reason: NotAssessedReason, message: string): Impact {
  return {
    assessedAt,
    summary: unassessedSummary(reason),
    nodes: 0,
    held: 0,
    capacity: { fits: "Unknown", nodes: [], unplacedVMs: 0, unplacedMiB: 0 },
    pools: [],
    blockers: [],
    stops: [],
    more: { pools: 0, blockers: 0, stops: 0 },
    assumes: [],
    notAssessed: [{ what: "nodes", reason, message }],
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

// Returns the load of each pool, without nodes that will not start to update.
function runningLoads(
  pools: readonly AssessedPool[],
  byNode: VmsByNode,
  { restartSamples }: ImpactFacts,
): readonly PoolLoad[] {
  return pools.flatMap((pool) => {
    const starting = new Set(pool.starting);
    const nodes = pool.nodes.filter(({ node }) => starting.has(node.name));
    if (nodes.length === 0) return [];
    const loads = nodes.map((each) => ({ class: each.class, ...loadOf(byNode.get(each.node.name) ?? []) }));
    const samples = restartSamples.get(pool.name) ?? [];
    return [{ name: pool.name, atOnce: pool.atOnce, nodes: loads, restartSamples: samples }];
  });
}

// Returns `observed` only if there are measurements for every pool that reboots.
function restartSource(pools: readonly AssessedPool[], { restartSamples }: ImpactFacts): "observed" | "default" {
  const rebooting = pools.filter(
    ({ starting, nodes }) => starting.length > 0 && nodes.some((each) => each.class === "Reboot"),
  );
  const isObserved = ({ name }: AssessedPool) =>
    restartBounds("Reboot", restartSamples.get(name) ?? [], "").source === "observed";
  return rebooting.length > 0 && rebooting.every(isObserved) ? "observed" : "default";
}

function entriesOfImpact(
  pools: readonly AssessedPool[],
  vmsOf: VmsByNode,
  pods: readonly DrainedPod[],
): { readonly blockers: readonly ImpactEntry[]; readonly stops: readonly ImpactEntry[] } {
  const podsOf = Map.groupBy(pods, ({ node }) => node);
  const entries = pools
    .flatMap((pool) => pool.nodes.map(({ node }) => node.name))
    .flatMap((node) =>
      [...(vmsOf.get(node) ?? []).flatMap(entryOfVm), ...(podsOf.get(node) ?? []).map(entryOfPod)].toSorted(
        ({ entry: left }, { entry: right }) =>
          compareUtf8(left.namespace, right.namespace) || compareUtf8(left.name, right.name),
      ),
    );
  const blockers = entries.flatMap(({ isBlocker, entry }) => (isBlocker ? [entry] : []));
  return { blockers, stops: entries.flatMap(({ isBlocker, entry }) => (isBlocker ? [] : [entry])) };
}

const listedOutcomes: ReadonlySet<string> = new Set(["block", "stop", "restart", "external"]);

type ListedEntry = { readonly isBlocker: boolean; readonly entry: ImpactEntry };

function entryOfVm({ vm, outcome, reason }: DrainedVm): readonly ListedEntry[] {
  if (!listedOutcomes.has(outcome)) return [];
  const { node, namespace, name } = vm;
  const isBlocker = outcome === "block";
  const kind = "VirtualMachineInstance";
  return [{ isBlocker, entry: { node, kind, namespace, name, reason: isBlocker ? reason : outcome } }];
}

function entryOfPod({ node, pod: { namespace, name }, outcome, reason }: DrainedPod): ListedEntry {
  const isBlocker = outcome === "block";
  return { isBlocker, entry: { node, kind: "Pod", namespace, name, reason: isBlocker ? reason : outcome } };
}

function assumptions(
  pools: readonly AssessedPool[],
  drained: readonly DrainedVm[],
  rate: MigrationRate,
): readonly string[] {
  const isMigrating = drained.some(({ outcome }) => outcome === "migrate");
  return [
    ...(drained.length > 0
      ? [
          "10% of each node is reserved for other pods",
          "CPU, huge pages, devices, pod affinity and storage are not checked",
        ]
      : []),
    ...(drained.some(({ vm }) => assumesLabels(vm.placement))
      ? ["node selectors for CPU models and CPU features match every node"]
      : []),
    ...(rate.isCancelled && isMigrating ? ["migrations time out because the bandwidth limit is too low"] : []),
    ...pools
      .filter(({ nodes }) => hasTies(nodes.map(({ node }) => rolloutNodeOf(node))))
      .map(({ name }) => `nodes of pool ${name} that were created in the same second are updated in random order`),
    ...(pools.some(({ name, nodes }) => name === "master" && nodes.length > 1)
      ? ["in pool master, the node that runs the Machine Config Operator is updated last, regardless of the order"]
      : []),
  ];
}
