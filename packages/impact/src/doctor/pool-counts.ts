// How many nodes of each pool have the changes of a config. Every surface takes its node counts from here.

import type { KubeObject, NodeRolloutPhase, PoolRollout } from "@virt/api";
import { machineConfigPoolHealth, type PoolProgress, poolProgress } from "@virt/engine";
import { isInHand } from "./node-phase.ts";
import { isTakenUp, type PoolFacts, type PoolView, viewPools } from "./rollout-view.ts";
import { Sightings } from "./sightings.ts";

/** Nodes of a pool; the last four add up to the total. */
export type NodeCounts = Pick<PoolRollout, "total" | "done" | "inHand" | "waiting" | "degraded">;

/** A pool and whether its target has all changes. */
export type CountedPool = { readonly object: KubeObject | undefined; readonly isRendered: boolean };

/**
 * Counts the nodes of a pool by their phases. A pool that reports all its machines as updated is believed: pools and nodes are watched
 * apart, so a node may have been seen last on its way. If no node is known, the pool's own status counts.
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

/** Counts the nodes of a pool that rolls out. */
export function countPool(pool: PoolView): NodeCounts {
  return countPhases(
    pool.nodes.map(({ phase }) => phase),
    countedPool(pool),
  );
}

/** The same counts as `countPool`, for texts. `updated` is absent while only an outdated pool status could tell. */
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

/** Reports whether the pool's target contains all changes. */
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
