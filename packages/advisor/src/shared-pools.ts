// Warns if plans of several configs reboot the same pool, because a single rollout could cover all of them.

import type { KubeObject, PoolDisruption, VirtPlatformConfig } from "@virt/api";
import { readMachineConfigPool } from "@virt/cluster";
import { isMachineConfig } from "./items.ts";

export type PoolPlan = {
  readonly config: string;
  readonly pool: string;
  readonly isRunning: boolean;
  readonly hasGuards: boolean;
};

/** Returns the pools that this config's pending or running plan still has to reboot. */
export function poolPlansOf({ metadata, spec, status = {} }: VirtPlatformConfig): readonly PoolPlan[] {
  const { phase, items = [], disruption = [] } = status;
  const isRunning = phase === "InProgress";
  if (spec.action === "Ignore" || (phase !== "ReviewRequired" && !isRunning)) return [];
  const isOpen = items.some((item) => isMachineConfig(item) && item.changes && item.state !== "Completed");
  if (!isOpen) return [];
  const hasGuards = Object.keys(spec.guards ?? {}).length > 0;
  return rebootedPools(disruption).map((pool) => ({ config: metadata.name, pool, isRunning, hasGuards }));
}

/** Returns the pending and running plans of other configs. Omits paused pools, because these combine changes into one rollout. */
export function otherPoolPlans(
  config: string,
  configs: readonly VirtPlatformConfig[],
  pools: readonly KubeObject[],
): readonly PoolPlan[] {
  const isPaused = (name: string) =>
    pools.map(readMachineConfigPool).some((pool) => pool.name === name && pool.isPaused);
  return configs
    .filter(({ metadata }) => metadata.name !== config)
    .flatMap(poolPlansOf)
    .filter(({ pool }) => !isPaused(pool))
    .toSorted((left, right) => (`${left.config} ${left.pool}` < `${right.config} ${right.pool}` ? -1 : 1));
}

type ReviewedPlan = { readonly disruption?: readonly PoolDisruption[]; readonly hasGuards: boolean };

export function sharedPoolWarnings(
  { disruption = [], hasGuards }: ReviewedPlan,
  others: readonly PoolPlan[],
): readonly string[] {
  const pools = rebootedPools(disruption);
  return others
    .filter(({ pool }) => pools.includes(pool))
    .map((other) => (hasGuards || other.hasGuards ? `${warningText(other)} ${guardsText}` : warningText(other)));
}

function rebootedPools(disruption: readonly PoolDisruption[]): readonly string[] {
  return disruption.filter((one) => one.class === "Reboot").map(({ pool }) => pool);
}

// A pool rolls out its latest rendered config, but nodes that have already started complete the earlier one first.
function warningText({ config, pool, isRunning }: PoolPlan): string {
  const shared = `VirtPlatformConfig '${config}' also changes MachineConfigPool '${pool}'`;
  return isRunning
    ? `${shared}, and its rollout is in progress. Nodes that have already started reboot twice. If you approve this plan now, all other nodes reboot only once for both plans.`
    : `${shared}. If the plans run one after the other, nodes reboot twice. If you approve both plans together, only nodes that have already started reboot twice.`;
}

const guardsText = "Guards block a plan while nodes are unavailable. Approve the plan that has guards first.";
