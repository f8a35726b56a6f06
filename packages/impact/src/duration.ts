// Predicts the duration of a rollout in whole seconds. Rounds up the bounds of each drain and of each pool.

import type { DisruptionClass } from "@virt/api";
import { type ClusterShape, migratedBytes, type VirtSettings, type VmFact } from "@virt/cluster";

export type DurationBounds = { readonly low: number; readonly high: number };

export type NodeLoad = {
  readonly class: DisruptionClass;
  /** `bytes` is the total of all migrations, `largest` that of the largest one. */
  readonly migrations: { readonly count: number; readonly bytes: number; readonly largest: number };
  /** The longest grace period of VMs that stop or restart, in seconds. Undefined if there are none. */
  readonly gracePeriodSeconds: number | undefined;
  /** Absent if the node has not started. */
  readonly progress?: NodeProgress;
};

/** The progress of an updating node. Its load has only the remaining VMs. */
export type NodeProgress = {
  readonly isDrained: boolean;
  /** Seconds since the start of the drain, or since its end if `isDrained`. */
  readonly spentSeconds: number;
};

export type PoolLoad = {
  readonly name: string;
  /** At least 1. */
  readonly atOnce: number;
  /** Not empty. */
  readonly nodes: readonly NodeLoad[];
  readonly restartSamples: readonly number[];
};

export type DurationInput = {
  readonly rate: MigrationRate;
  readonly settings: Pick<VirtSettings, "migrationsPerCluster" | "migrationsPerNode">;
  readonly shape: ClusterShape;
};

/** Seconds to migrate 1 GiB, and the source of the numbers. */
export type MigrationRate = {
  readonly low: number;
  readonly high: number;
  readonly source: "history" | "default";
  /** True if the bandwidth limit is too low for the timeout. */
  readonly isCancelled: boolean;
};

const GiB = 2 ** 30;
const leastSamples = { migrations: 5, restarts: 3 };

/** Uses the last migrations of the VMs. If there are too few, uses defaults and KubeVirt's limits. */
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

/** Uses times measured in the pool. If there are too few, uses a default of the platform. */
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

/** Pools run in parallel. `plan` is undefined without pools. */
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

// Lower bound: all slots are always in use, or the slowest node has all migration lanes. Upper bound: covers any node
// order.
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

/** `lanes`: parallel migrations per node. `twice`: factor for VMs that migrate twice. */
type NodeContext = {
  readonly lanes: number;
  readonly twice: number;
  readonly isSingleReplica: boolean;
  readonly rate: MigrationRate;
  readonly restartOf: (disruption: DisruptionClass) => DurationBounds;
};

/** `draining`: the number of nodes, over all pools, that drain VMs in parallel. */
function contextOf(pool: PoolLoad, draining: number, { rate, settings, shape }: DurationInput): NodeContext {
  const restarts = new Map<DisruptionClass, DurationBounds>();
  return {
    lanes: Math.min(settings.migrationsPerNode, settings.migrationsPerCluster / draining),
    // Early VMs migrate twice, because they move to nodes that drain later.
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
    // The remaining migrations take their full time, regardless of the time already spent.
    high: drain.high + restart.high,
  };
}

/** Returns the predicted maximum of a drain in seconds. `draining` nodes drain VMs in parallel. */
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

// The operator tries for 90 seconds and then waits 1 minute, or 5 minutes once the drain has taken 10 minutes. It
// notices the end of a drain only at its next attempt.
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

// Ignores rounding errors of floating-point numbers, which would count as another second.
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
