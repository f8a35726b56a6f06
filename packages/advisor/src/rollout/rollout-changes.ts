// Finds the MachineConfigs that pools must roll out for a config, and the progress of the nodes.

import type { Item, KubeObject, PendingRollout, RolloutStatus, VirtPlatformConfig } from "@virt/api";
import {
  affectedPools,
  type CountOfPool,
  isRenderedBy,
  type MachineConfigChange,
  type PoolProgress,
  poolProgress,
  type RenderedOf,
} from "@virt/cluster";
import { countNodes, hasKubeletDropIn, notAssessed, type RolloutChange } from "@virt/impact";
import type { ReconcileFacts } from "../facts.ts";
import { isMachineConfig, isSkipped } from "../items.ts";
import { hasPlanBegun } from "../phases.ts";
import { changeOfItem, changeOfRecord, isRolloutOpen, isTargetGone, rolloutTarget } from "./rollouts.ts";

/** Returns an object from memory. `unknown` means that it could not be read, so it may exist. */
export type LiveTargetOf = (ref: ReturnType<typeof rolloutTarget>) => KubeObject | undefined | "unknown";

/**
 * Returns the changes to roll out. An item keeps its operation if its target is deleted. Without `renderedOf`, a pool
 * that lists the MachineConfig counts as rendered.
 */
export function rolloutChanges(
  config: VirtPlatformConfig,
  live: LiveTargetOf,
  pools: readonly KubeObject[],
  renderedOf?: RenderedOf,
): readonly RolloutChange[] {
  const { rollouts = [], items = [] } = config.status ?? {};
  const rolling = items.filter((item) => isMachineConfig(item) && !isSkipped(item) && item.state !== "Pending");
  const itemOf = ({ machineConfig }: PendingRollout) =>
    rolling.find(({ targetRef }) => targetRef.name === machineConfig);
  const context = { config, live, pools, renderedOf };
  const pending = rollouts.map((record) => changeOfPending(record, itemOf(record), context));
  const others = rolling
    .filter(({ state }) => state === "Completed" || state === "InProgress")
    .filter(({ targetRef }) => rollouts.every(({ machineConfig }) => machineConfig !== targetRef.name))
    .flatMap((item) => (item.desiredState === undefined ? [] : [changeOfOther(item, item.desiredState, context)]));
  return [...pending, ...others];
}

type ChangeContext = {
  readonly config: VirtPlatformConfig;
  readonly live: LiveTargetOf;
  readonly pools: readonly KubeObject[];
  readonly renderedOf: RenderedOf | undefined;
};

function changeOfPending(record: PendingRollout, item: Item | undefined, context: ChangeContext): RolloutChange {
  const { machineConfig, before } = record;
  const found = context.live(rolloutTarget(machineConfig));
  const object = found === "unknown" ? undefined : found;
  const change = item === undefined ? changeOfRecord(record, object, 0) : changeOfItem(item, object, 0);
  const operation = item === undefined && found === "unknown" ? "Apply" : change.operation;
  return {
    machineConfig,
    operation,
    pools: before.map(({ pool }) => pool),
    hasKubeletDropIn: hasKubeletDropIn(object ?? item?.desiredState),
    ...unrendered(change, context),
    ...(item && found !== "unknown" && gone(item, found, context)),
  };
}

function changeOfOther(item: Item, desired: KubeObject, context: ChangeContext): RolloutChange {
  const found = context.live(rolloutTarget(item.targetRef.name));
  return {
    machineConfig: item.targetRef.name,
    operation: item.operation,
    pools: affectedPools(context.pools, desired),
    hasKubeletDropIn: hasKubeletDropIn(desired),
    ...unrendered(changeOfItem(item, found === "unknown" ? undefined : found, 0), context),
    ...(found !== "unknown" && gone(item, found, context)),
  };
}

function unrendered(
  change: MachineConfigChange,
  { pools, renderedOf }: ChangeContext,
): Pick<RolloutChange, "unrenderedPools"> {
  if (renderedOf === undefined) return {};
  const old = pools.filter((pool) => !isRenderedBy(pool, change, renderedOf)).map(({ metadata }) => metadata.name);
  const listing = old.filter((name) => change.before.has(name));
  return listing.length === 0 ? {} : { unrenderedPools: listing };
}

function gone(
  item: Item,
  live: KubeObject | undefined,
  { config }: ChangeContext,
): Pick<RolloutChange, "isTargetGone" | "waiting"> {
  if (!isTargetGone(item, live)) return {};
  const isWaiting = config.status?.phase === "InProgress" && item.state === "InProgress";
  const waiting = { config: config.metadata.name, item: item.name };
  return { isTargetGone: true, ...(isWaiting && { waiting }) };
}

const unknownNodes = { nodes: notAssessed("Unavailable"), machineConfigNodes: notAssessed("Unavailable") };

/** Counts nodes from the same facts as the diagnosis. In all other pools, no nodes are updated before the plan starts. */
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

/** Returns the stored counts, which are used after a restart until all informers have synced. */
function countsInStatus({ pools }: RolloutStatus): CountOfPool {
  const counts = new Map(pools.map(({ name, total, done }) => [name, { pool: name, nodes: total, updated: done }]));
  return (pool) => counts.get(pool);
}
