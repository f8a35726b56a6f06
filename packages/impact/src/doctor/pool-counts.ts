// Counts how many nodes in each pool have applied the changes of a config. All node counts come from here.

import type { KubeObject, NodeRolloutPhase, PoolRollout } from "@virt/api";
import { machineConfigPoolHealth, type PoolProgress, poolProgress } from "@virt/cluster";
import { isInHand } from "./node-phase.ts";
import { isTakenUp, type PoolFacts, type PoolView, viewPools } from "./rollout-view.ts";
import { Sightings } from "./sightings.ts";

/** Node counts. `done`, `inHand`, `waiting` and `degraded` add up to `total`. */
export type NodeCounts = Pick<PoolRollout, "total" | "done" | "inHand" | "waiting" | "degraded">;

/** A pool with its counts. `isRendered` is true if the pool's target config contains all changes. */
export type CountedPool = { readonly object: KubeObject | undefined; readonly isRendered: boolean };

/**
 * Counts the nodes by phase. If the pool reports completion, this takes precedence, because the watch of the nodes may
 * lag behind.
 */
export function countPhases(phases: readonly NodeRolloutPhase[], { object, isRendered }: CountedPool): NodeCounts {
  if (phases.length === 0) return countMachines(object && poolProgress(object, isRendered));
  const total = phases.length;
  if (object !== undefined && isRendered && machineConfigPoolHealth(object).state === "done")
    return { total, done: total, inHand: 0, waiting: 0, degraded: 0 };
  const count = (isCounted: (phase: NodeRolloutPhase) => boolean) => phases.filter(isCounted).length;
  return {
    total,
    done: count((phase) => phase === "Done"),
    inHand: count(isInHand),
    waiting: count((phase) => phase === "Waiting"),
    degraded: count((phase) => phase === "Degraded"),
  };
}

export function countPool(pool: PoolView): NodeCounts {
  return countPhases(
    pool.nodes.map(({ phase }) => phase),
    countedPool(pool),
  );
}

/** Returns the node counts for messages. `updated` is absent if only a pool status that is out of date is known. */
export function countNodes(facts: PoolFacts): ReadonlyMap<string, PoolProgress> {
  const views = viewPools(facts, new Sightings(new Map(), 0));
  return new Map(
    views.map((pool) => {
      const { total, done } = countPool(pool);
      const { object, isRendered } = countedPool(pool);
      const isKnown = pool.nodes.length > 0 || (object && poolProgress(object, isRendered).updated !== undefined);
      return [pool.name, { pool: pool.name, nodes: total, ...(isKnown && { updated: done }) }];
    }),
  );
}

export function isPoolRendered({ object, changes }: Pick<PoolView, "object" | "changes">): boolean {
  return changes.every((change) => isTakenUp(change, object));
}

function countedPool(pool: PoolView): CountedPool {
  return { object: pool.object, isRendered: isPoolRendered(pool) };
}

function countMachines(machines: ReturnType<typeof poolProgress> | undefined): NodeCounts {
  const {
    nodes: total,
    updated: done = 0,
    degraded,
    unavailable,
  } = machines ?? {
    nodes: 0,
    degraded: 0,
    unavailable: 0,
  };
  const rest = Math.max(0, total - done);
  const broken = Math.min(degraded, rest);
  const inHand = Math.min(Math.max(0, unavailable - broken), rest - broken);
  return { total, done, inHand, waiting: rest - broken - inHand, degraded: broken };
}
