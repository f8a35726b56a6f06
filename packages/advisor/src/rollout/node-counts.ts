// The node counts in messages, columns and conditions.

import type { KubeObject, RolloutStatus } from "@virt/api";
import { type CountOfPool, type PoolProgress, poolProgress } from "@virt/cluster";
import { countNodes, notAssessed } from "@virt/impact";
import type { ReconcileFacts } from "../facts.ts";
import { hasPlanBegun } from "../phases.ts";
import { isRolloutOpen } from "./publish-rollout.ts";
import { rolloutChanges } from "./rollout-changes.ts";

const unknownNodes = { nodes: notAssessed("Unavailable"), machineConfigNodes: notAssessed("Unavailable") };

/** Counts nodes from the same facts as the diagnosis. Other pools have no updated nodes before the plan starts. */
export function countNodesOf({ config, live, pools, renderedOf, rollingNodes }: ReconcileFacts): CountOfPool {
  const { status = {} } = config;
  const isStored = rollingNodes === undefined && status.rollout !== undefined && isRolloutOpen(status);
  if (isStored) return countsInStatus(status.rollout);
  const isKnown = rollingNodes !== undefined || hasPlanBegun(status.phase);
  const changes = isKnown ? rolloutChanges(config, live, pools, renderedOf) : [];
  const counts = countNodes({ changes, pools, ...(rollingNodes ?? unknownNodes) });
  return (name) => counts.get(name) ?? machinesOf(name, pools);
}

function machinesOf(name: string, pools: readonly KubeObject[]): PoolProgress | undefined {
  const pool = pools.find(({ metadata }) => metadata.name === name);
  return pool && { pool: name, nodes: poolProgress(pool, true).nodes };
}

/** After a restart, the stored counts apply until all lists are complete. */
function countsInStatus({ pools }: RolloutStatus): CountOfPool {
  const counts = new Map(pools.map(({ name, total, done }) => [name, { pool: name, nodes: total, updated: done }]));
  return (pool) => counts.get(pool);
}
