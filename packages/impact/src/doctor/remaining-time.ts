// Predicts the remaining time of a rollout, from its unfinished nodes and their phases.

import { readClusterShape } from "@virt/cluster";
import { settingsInForce } from "../assess-impact.ts";
import { assessedOr } from "../assessed.ts";
import { ClusterRooms } from "../capacity.ts";
import { worstClass } from "../disruption-class.ts";
import { assessVms, type DrainedVm, loadOf } from "../drained-vms.ts";
import {
  assessDurations,
  type DurationBounds,
  type DurationInput,
  longestDrain,
  migrationRate,
  type NodeProgress,
  type PoolLoad,
} from "../duration.ts";
import { type AssessedPool, lastingRoom, queuedClasses } from "../pool-rollouts.ts";
import { planWaves, rolloutNodeOf, rolloutOfPool } from "../rollout.ts";
import { type DoctorFacts, isInHand, type NodeView, type PoolView } from "./rollout-view.ts";
import { restartKey, restartSamplesOf, type Sightings } from "./sightings.ts";

export type RolloutPrediction = {
  /** The range, rounded outward to 5 minutes. Undefined if no node continues automatically. */
  readonly remaining: DurationBounds | undefined;
  /** Returns a node's predicted maximum drain time in seconds, or 0 if unknown. */
  readonly drainSecondsOf: (node: string) => number;
};

/** Predicts the rest of a rollout, without nodes that do not continue automatically. */
export function predictRollout(
  pools: readonly PoolView[],
  facts: DoctorFacts,
  sightings: Sightings,
): RolloutPrediction {
  const settings = settingsInForce(facts);
  const shape = assessedOr(facts.shape, readClusterShape(undefined));
  const vms = assessedOr(facts.vms, []);
  const running = pools.flatMap((pool) => runningPool(pool, facts));
  const rooms = new ClusterRooms(assessedOr(facts.nodes, []), vms, settings);
  const runStrategies = assessedOr(facts.runStrategies, new Map<string, string>());
  const drained = assessVms(running, { vms, rooms, settings, shape, runStrategies });
  const byNode = Map.groupBy(drained, ({ vm }) => vm.node);
  const views = new Map(pools.flatMap(({ nodes }) => nodes).map((view) => [view.node.name, view]));
  const loads = running.map((pool) => loadOfPool(pool, { byNode, views, facts, sightings }));
  const input = { rate: migrationRate(vms, settings), settings, shape };
  const { plan } = assessDurations(loads, input);
  return { remaining: plan && roundOutward(plan), drainSecondsOf: longestDrains(running, loads, input) };
}

function runningPool(pool: PoolView, facts: DoctorFacts): readonly AssessedPool[] {
  if (pool.object === undefined) return [];
  const rollout = rolloutOfPool(pool.object, pool.target);
  const nodes = pool.nodes.map(({ node }) => rolloutNodeOf(node));
  const { waves, blocked } = planWaves(rollout, nodes);
  const isBlocked = new Set(blocked);
  const starting = [...new Set(waves.flat())].filter((name) => !isBlocked.has(name));
  if (starting.length === 0) return [];
  const own = facts.disruption.find((each) => each.pool === pool.name)?.class ?? "None";
  const queued = queuedClasses(facts);
  const byName = new Map(pool.nodes.map(({ node }) => [node.name, node]));
  const changing = starting.flatMap((name) => {
    const node = byName.get(name);
    return node === undefined ? [] : [{ node, class: worstClass([own, queued(node, pool.target)]) }];
  });
  return [
    {
      name: pool.name,
      class: worstClass(changing.map((each) => each.class)),
      nodes: changing,
      starting,
      held: blocked,
      atOnce: Math.max(1, Math.min(starting.length, lastingRoom(rollout, nodes))),
      waves,
      holdup: undefined,
    },
  ];
}

type LoadContext = {
  readonly byNode: ReadonlyMap<string, readonly DrainedVm[]>;
  readonly views: ReadonlyMap<string, NodeView>;
  readonly facts: DoctorFacts;
  readonly sightings: Sightings;
};

function loadOfPool(pool: AssessedPool, { byNode, views, facts, sightings }: LoadContext): PoolLoad {
  const nodes = pool.nodes.map((each) => {
    const progress = progressOf(views.get(each.node.name), sightings);
    return { class: each.class, ...loadOf(byNode.get(each.node.name) ?? []), ...(progress && { progress }) };
  });
  return { name: pool.name, atOnce: pool.atOnce, nodes, restartSamples: restartSamplesOf(facts, pool.name) };
}

function progressOf(view: NodeView | undefined, sightings: Sightings): NodeProgress | undefined {
  // A node that is updating to an earlier target config still has to take every step for this one.
  if (view === undefined || !view.isForTarget || !isInHand(view.phase)) return undefined;
  const isDrained = view.phase !== "Draining";
  const since = isDrained ? (sightings.before(restartKey(view.node.name)) ?? view.since) : view.since;
  return { isDrained, spentSeconds: (sightings.now - since) / 1000 };
}

function longestDrains(
  pools: readonly AssessedPool[],
  loads: readonly PoolLoad[],
  input: DurationInput,
): (node: string) => number {
  const draining = Math.max(
    1,
    loads.reduce((sum, { atOnce }) => sum + atOnce, 0),
  );
  return (name) => {
    for (const [index, pool] of pools.entries()) {
      const load = loads[index];
      const node = load?.nodes[pool.nodes.findIndex((each) => each.node.name === name)];
      if (load !== undefined && node !== undefined) return longestDrain(node, { pool: load, draining }, input);
    }
    return 0;
  };
}

const step = 300;

// Rounds a range outward, which avoids frequent status writes.
function roundOutward({ low, high }: DurationBounds): DurationBounds {
  return { low: Math.floor(low / step) * step, high: Math.ceil(high / step) * step };
}
