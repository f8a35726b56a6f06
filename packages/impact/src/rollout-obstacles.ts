// Explains why an impact is uncertain: some nodes do not start automatically, but get the config later.

import type { Holdup, Impact, ImpactPool } from "@virt/api";

/** A pool state that makes the impact uncertain, and the next step. */
export type RolloutObstacle = { readonly text: string; readonly next: string };

/** Returns the obstacles of the selected pools. Empty if every node starts automatically. */
export function findRolloutObstacles(
  { pools, held }: Pick<Impact, "pools" | "held">,
  isConcerned: (pool: ImpactPool) => boolean = () => true,
): readonly RolloutObstacle[] {
  const found = pools.filter(isConcerned).flatMap(obstaclesOfPool);
  const listed = pools.reduce((sum, pool) => sum + pool.held, 0);
  if (found.length > 0 || held <= listed) return found;
  return [{ text: "nodes of other pools are on hold", next: "check the pools with 'oc get mcp'" }];
}

function obstaclesOfPool({ name, holdup, heldBy, held }: ImpactPool): readonly RolloutObstacle[] {
  if (holdup !== undefined) return [words[holdup](name, heldBy)];
  if (held === 0) return [];
  return [{ text: `nodes of pool ${name} are on hold`, next: "check the nodes with 'oc get nodes'" }];
}

const words: Readonly<Record<Holdup, (pool: string, heldBy?: string) => RolloutObstacle>> = {
  Paused: (pool) => ({
    text: `pool ${pool} is paused`,
    next: `unpause pool ${pool}, which also starts all other pending changes of the pool`,
  }),
  InvalidMaxUnavailable: (pool) => ({
    text: `maxUnavailable of pool ${pool} is invalid`,
    next: `set spec.maxUnavailable of pool ${pool} to a number or a percentage`,
  }),
  MaxUnavailableUsed: (pool) => ({
    text: `pool ${pool} has reached its maxUnavailable limit`,
    next: `uncordon or repair the unavailable nodes of pool ${pool}`,
  }),
  Degraded: (pool) => ({
    text: `pool ${pool} is degraded`,
    next: `fix the problem that 'oc describe mcp ${pool}' shows`,
  }),
  KubeletConfigRefused: (pool, heldBy = "") => ({
    text: `pool ${pool} cannot render its configuration: KubeletConfig ${heldBy} was rejected`,
    next: `fix the error that 'oc describe kubeletconfig ${heldBy}' shows`,
  }),
  NotReady: (pool) => ({
    text: `pool ${pool} has nodes that are not ready`,
    next: `repair the nodes of pool ${pool} that are not ready, or remove them`,
  }),
  Cordoned: (pool) => ({
    text: `pool ${pool} has cordoned nodes`,
    next: `uncordon the nodes of pool ${pool} that 'oc get nodes' shows as SchedulingDisabled`,
  }),
};
