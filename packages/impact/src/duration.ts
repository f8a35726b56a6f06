// Predicts the duration of a rollout in whole seconds, as a lower and an upper bound.

import type { DisruptionClass } from "@virt/api";
import { type ClusterShape, migratedBytes, type VirtSettings, type VmFact } from "@virt/cluster";

export type DurationBounds = { readonly low: number; readonly high: number };

export type NodeLoad = {
  readonly class: DisruptionClass;
  /** The migrations. `bytes` is their total size, and `largest` the size of the largest one. */
  readonly migrations: { readonly count: number; readonly bytes: number; readonly largest: number };
  /** The longest grace period of VMs that stop or restart, in seconds. Undefined if there are none. */
  readonly gracePeriodSeconds: number | undefined;
  /** The progress of the node. Absent if its update has not started. */
  readonly progress?: NodeProgress;
};

/** The progress of a node that is updating. Its load contains only the remaining VMs. */
export type NodeProgress = {
  readonly isDrained: boolean;
  /** The seconds since the start of the drain, or since its end if `isDrained`. */
  readonly spentSeconds: number;
};

export type PoolLoad = {
  readonly name: string;
  /** How many nodes update at a time, at least 1. */
  readonly atOnce: number;
  /** The nodes, at least one. */
  readonly nodes: readonly NodeLoad[];
  readonly restartSamples: readonly number[];
};

export type DurationInput = {
  readonly rate: MigrationRate;
  readonly settings: Pick<VirtSettings, "migrationsPerCluster" | "migrationsPerNode">;
  readonly shape: ClusterShape;
};

/** The seconds that it takes to migrate 1 GiB, and the source of this estimate. */
export type MigrationRate = {
  readonly low: number;
  readonly high: number;
  readonly source: "history" | "default";
  /** True if migrations time out because of the bandwidth limit. */
  readonly isCancelled: boolean;
};

const GiB = 2 ** 30;
const leastSamples = { migrations: 5, restarts: 3 };

/**
 * Returns the migration rate, measured from the VMs' last migrations. If there are too few, uses defaults and
 * KubeVirt's limits.
 */
export function migrationRate(vms: readonly VmFact[], { bandwidth, timeoutPerGiB }: VirtSettings): MigrationRate {
  const samples = vms
    .flatMap((vm) => (vm.lastMigrationMs === undefined ? [] : [paceOf(vm, vm.lastMigrationMs)]))
    .toSorted((left, right) => left - right);
  const [low, high] = [25, 90].map((percent) => samples[Math.ceil((percent * samples.length) / 100) - 1]);
  if (samples.length >= leastSamples.migrations && low !== undefined && high !== undefined)
    return { low, high, source: "history", isCancelled: false };
  return defaultRate(bandwidth, timeoutPerGiB);
}

function paceOf(vm: VmFact, ms: number): number {
  return (ms * GiB) / (1000 * Math.max(migratedBytes(vm), GiB));
}

function defaultRate(bandwidth: number, timeout: number): MigrationRate {
  const perGiB = bandwidth > 0 ? GiB / bandwidth : 0;
  const low = Math.max(2, perGiB);
  const limited = Math.min(timeout, Math.max(16, 2 * perGiB));
  // Ignores a timeout that is below the lower bound.
  return { low, high: Math.max(low, limited), source: "default", isCancelled: perGiB > timeout };
}

export type RestartSource = "observed" | "default";

/**
 * Returns the bounds for a restart, measured in the pool. If there are too few measurements, uses the default for the
 * platform.
 */
export function restartBounds(
  disruption: DisruptionClass,
  samples: readonly number[],
  platform: string,
): DurationBounds & { readonly source: RestartSource } {
  if (disruption === "None") return { low: 0, high: 0, source: "default" };
  if (disruption === "Reload") return { low: 10, high: 60, source: "default" };
  if (disruption === "Drain") return { low: 30, high: 120, source: "default" };
  const seen = samples.filter((seconds) => Number.isFinite(seconds) && seconds >= 0);
  if (seen.length >= leastSamples.restarts)
    return {
      low: Math.floor(seen.reduce((least, each) => Math.min(least, each))),
      high: Math.ceil(seen.reduce((most, each) => Math.max(most, each))),
      source: "observed",
    };
  const isSlow = ["", "BareMetal", "None"].includes(platform);
  return isSlow ? { low: 600, high: 1800, source: "default" } : { low: 300, high: 900, source: "default" };
}

/** Predicts the duration of each pool, and of the plan. Pools update in parallel. `plan` is undefined if there are no pools. */
export function assessDurations(
  pools: readonly PoolLoad[],
  input: DurationInput,
): { readonly plan: DurationBounds | undefined; readonly pools: ReadonlyMap<string, DurationBounds> } {
  const migrating = pools.filter(({ nodes }) => nodes.some(({ migrations }) => migrations.count > 0));
  const draining = migrating.reduce((sum, { atOnce }) => sum + atOnce, 0);
  const bounds = new Map(pools.map((pool) => [pool.name, poolBounds(pool, Math.max(1, draining), input)]));
  const all = [...bounds.values()];
  const plan = {
    low: all.reduce((most, { low }) => Math.max(most, low), 0),
    high: all.reduce((most, { high }) => Math.max(most, high), 0),
  };
  return { plan: all.length === 0 ? undefined : plan, pools: bounds };
}

// For the lower bound, nodes always use all slots, or the slowest node gets all parallel migrations. The upper bound
// holds for any order of nodes.
function poolBounds(pool: PoolLoad, draining: number, input: DurationInput): DurationBounds {
  const boundsWith = (nodesDraining: number) => {
    const context = contextOf(pool, nodesDraining, input);
    return pool.nodes.map((node) => nodeBounds(node, context));
  };
  const shared = boundsWith(draining);
  const alone = draining === 1 ? shared : boundsWith(1);
  const sum = (bound: "low" | "high") => shared.reduce((total, each) => total + each[bound], 0);
  const most = (nodes: readonly DurationBounds[], bound: "low" | "high") =>
    nodes.reduce((slowest, each) => Math.max(slowest, each[bound]), 0);
  return {
    low: Math.max(most(alone, "low"), Math.ceil(sum("low") / pool.atOnce)),
    high: Math.ceil((sum("high") + most(shared, "high") * (pool.atOnce - 1)) / pool.atOnce),
  };
}

/** `lanes` is the number of parallel migrations per node. `twice` is a factor for VMs that migrate twice. */
type NodeContext = {
  readonly lanes: number;
  readonly twice: number;
  readonly isSingleReplica: boolean;
  readonly rate: MigrationRate;
  readonly restartOf: (disruption: DisruptionClass) => DurationBounds;
};

/** `draining` is the number of nodes in all pools that drain VMs in parallel. */
function contextOf(pool: PoolLoad, draining: number, { rate, settings, shape }: DurationInput): NodeContext {
  const restarts = new Map<DisruptionClass, DurationBounds>();
  return {
    lanes: Math.min(settings.migrationsPerNode, settings.migrationsPerCluster / draining),
    // VMs on the first nodes migrate twice, because they move to nodes that drain later.
    twice: (pool.nodes.length + pool.atOnce) / pool.nodes.length,
    isSingleReplica: shape.isSingleReplica,
    rate,
    restartOf: (disruption) => {
      const bounds = restarts.get(disruption) ?? restartBounds(disruption, pool.restartSamples, shape.platform);
      restarts.set(disruption, bounds);
      return bounds;
    },
  };
}

function nodeBounds(node: NodeLoad, context: NodeContext): DurationBounds {
  const restart = context.restartOf(node.class);
  const { isDrained, spentSeconds } = node.progress ?? { isDrained: false, spentSeconds: 0 };
  const spent = Math.max(0, Math.floor(spentSeconds));
  if (isDrained) return { low: Math.max(0, restart.low - spent), high: Math.max(0, restart.high - spent) };
  const hasDrain = node.class === "Reboot" || node.class === "Drain";
  const drain = hasDrain ? drainBounds(node, context) : noTime;
  return {
    low: Math.max(0, drain.low + restart.low - spent),
    // Assumes the full time for the remaining migrations, regardless of the time already spent.
    high: drain.high + restart.high,
  };
}

/** Returns the predicted maximum duration of a drain in seconds, if `draining` nodes drain VMs in parallel. */
export function longestDrain(
  node: NodeLoad,
  { pool, draining }: { readonly pool: PoolLoad; readonly draining: number },
  input: DurationInput,
): number {
  return drainBounds(node, contextOf(pool, draining, input)).high;
}

const noTime: DurationBounds = { low: 0, high: 0 };
const leastDrain = 30;
const oneAttempt = 90;

function drainBounds(node: NodeLoad, context: NodeContext): DurationBounds {
  const grace = node.gracePeriodSeconds ?? 0;
  if (context.isSingleReplica) return { low: 0, high: grace };
  const { low, high } = migrationBounds(node, context);
  const evicted = Math.max(oneAttempt, high, grace);
  return { low: Math.max(leastDrain, low), high: evicted + retryPause(evicted) };
}

// Returns the delay until the operator's next attempt. It tries for 90 seconds and then waits 1 minute, or 5 minutes
// once the drain has taken 10 minutes. It notices that the node is empty only in its next attempt.
function retryPause(evicted: number): number {
  if (evicted <= oneAttempt) return 0;
  return evicted <= 600 ? 60 : 300;
}

function migrationBounds({ migrations }: NodeLoad, { lanes, twice, rate }: NodeContext): DurationBounds {
  const { count, bytes, largest } = migrations;
  if (count === 0) return noTime;
  const spent = (fixed: number, pace: number) =>
    Math.max(fixed + (pace * largest) / GiB, (fixed * count + (pace * bytes) / GiB) / lanes);
  return { low: roundUp(spent(5, rate.low)), high: roundUp(spent(30, rate.high) * twice) };
}

// Rounds up to whole seconds, but ignores floating-point errors, which would add another second.
function roundUp(seconds: number): number {
  return Math.ceil(seconds - 1e-6);
}

const hour = 3600;

/** Returns a string such as `10–35 minutes`, `55 minutes to 4 hours`, `2–13 hours` or `up to 15 minutes`. */
export function durationText({ low, high }: DurationBounds): string {
  if (high < hour) return join(minutesDown(low), minutesUp(high), "minute");
  const step = high <= 10 * hour ? hour / 2 : hour;
  const most = Math.ceil(high / step) * (step / hour);
  if (low >= hour) return join(Math.floor(low / step) * (step / hour), most, "hour");
  const least = minutesDown(low);
  return least === 0 ? `up to ${counted(most, "hour")}` : `${least} minutes to ${counted(most, "hour")}`;
}

function minutesDown(seconds: number): number {
  return Math.floor(seconds / 300) * 5;
}

function minutesUp(seconds: number): number {
  return Math.ceil(seconds / 300) * 5;
}

function join(least: number, most: number, unit: string): string {
  if (least === most) return counted(most, unit);
  return least === 0 ? `up to ${counted(most, unit)}` : `${least}–${counted(most, unit)}`;
}

function counted(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}
