// The node counts that item messages, columns and conditions show.

import type { RolloutStatus } from "@virt/api";
import type { CountOfPool } from "@virt/engine";
import { countNodes, notAssessed } from "@virt/impact";
import type { ReconcileFacts } from "../facts.ts";
import { isRolloutOpen } from "./publish-rollout.ts";
import { rolloutChanges } from "./rollout-changes.ts";

const unknownNodes = { nodes: notAssessed("Unavailable"), machineConfigNodes: notAssessed("Unavailable") };

/** Returns the counts of each pool that takes over something of this config, from the same facts as the diagnosis of this reconcile. */
export function countNodesOf({ config, live, pools, renderedOf, rollingNodes }: ReconcileFacts): CountOfPool {
  const { status = {} } = config;
  const isStored = rollingNodes === undefined && status.rollout !== undefined && isRolloutOpen(status);
  if (isStored) return countsInStatus(status.rollout);
  const changes = rolloutChanges(config, live, pools, renderedOf);
  const counts = countNodes({ changes, pools, ...(rollingNodes ?? unknownNodes) });
  return (pool) => counts.get(pool);
}

/** A process that has just started shows the stored counts until its lists are complete. */
function countsInStatus({ pools }: RolloutStatus): CountOfPool {
  const counts = new Map(pools.map(({ name, total, done }) => [name, { pool: name, nodes: total, updated: done }]));
  return (pool) => counts.get(pool);
}
