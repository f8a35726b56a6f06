// Predicts the duration of a rollout in seconds. Exact until each node and each pool is rounded up.

import type { DisruptionClass } from "@virt/api";
import {
  addFractions,
  compareFractions,
  divideFractions,
  type Fraction,
  fraction,
  greatestFraction,
  lesserFraction,
  multiplyFractions,
  roundUp,
} from "./fraction.ts";
import type { ClusterShape, VirtSettings } from "./virt-settings.ts";
import { migratedBytes, type VmFact } from "./vms.ts";

export type DurationBounds = { readonly low: number; readonly high: number };

export type NodeLoad = {
  readonly class: DisruptionClass;
  /** `bytes` is the total of all migrations, `largest` that of the largest one. */
  readonly migrations: { readonly count: number; readonly bytes: number; readonly largest: number };
  /** The longest grace period of VMs that stop or restart, in seconds. Undefined if none does. */
  readonly gracePeriodSeconds: number | undefined;
  /** Absent if the node has not started. */
  readonly progress?: NodeProgress;
};

/** The progress of a node that is being updated. Its load has only the remaining VMs. */
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
  readonly low: Fraction;
  readonly high: Fraction;
  readonly source: "history" | "default";
  /** True if the bandwidth limit is too low for the timeout. */
  readonly isCancelled: boolean;
};

const GiB = 2 ** 30;
const leastSamples = { migrations: 5, restarts: 3 };

/** Uses the last migrations of the VMs. If there are too few, uses defaults and KubeVirt's limits. */
export function migrationRate(vms: readonly VmFact[], { bandwidth, timeoutPerGiB }: VirtSettings): MigrationRate {
  const samples = vms
    .filter(({ lastMigrationMs }) => lastMigrationMs !== undefined)
    .map(paceOf)
    .toSorted(
      (left, right) => left.approximate - right.approximate || compareFractions(exactPace(left), exactPace(right)),
    );
  const [low, high] = [25, 90].map((percent) => samples[Math.ceil((percent * samples.length) / 100) - 1]);
  if (samples.length >= leastSamples.migrations && low !== undefined && high !== undefined)
    return { low: exactPace(low), high: exactPace(high), source: "history", isCancelled: false };
  return defaultRate(bandwidth, fraction(timeoutPerGiB));
}

type MigrationPace = { readonly ms: number; readonly bytes: number; readonly approximate: number };

// Rounded quotients keep the order of the exact values. Fractions are needed only to compare equal quotients.
function paceOf(vm: VmFact): MigrationPace {
  const [ms, bytes] = [vm.lastMigrationMs ?? 0, Math.max(migratedBytes(vm), GiB)];
  return { ms, bytes, approximate: ms / bytes };
}

function exactPace({ ms, bytes }: MigrationPace): Fraction {
  return fraction(BigInt(Math.trunc(ms)) * BigInt(GiB), 1000n * BigInt(bytes));
}

function defaultRate(bandwidth: number, timeout: Fraction): MigrationRate {
  const perGiB = bandwidth > 0 ? fraction(GiB, bandwidth) : fraction(0);
  const low = greatestFraction(fraction(2), perGiB);
  const isCancelled = compareFractions(perGiB, timeout) > 0;
  const limited = lesserFraction(timeout, greatestFraction(fraction(16), multiplyFractions(fraction(2), perGiB)));
  // Ignores a timeout below the lower bound.
  return { low, high: greatestFraction(low, limited), source: "default", isCancelled };
}

export type RestartSource = "observed" | "default";

/** Uses the times measured in the pool. If there are too few, uses a default of the platform. */
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

// Low: all slots are always busy, or the slowest node has all migration lanes. High: holds for any node order.
function poolBounds(pool: PoolLoad, draining: number, input: DurationInput): DurationBounds {
  const boundsWith = (nodesDraining: number) => {
    const context = contextOf(pool, nodesDraining, input);
    return pool.nodes.map((node) => nodeBounds(node, context));
  };
  const shared = boundsWith(draining);
  const alone = draining === 1 ? shared : boundsWith(1);
  const places = fraction(pool.atOnce);
  const sum = (bound: "low" | "high") => fraction(shared.reduce((total, each) => total + each[bound], 0));
  const most = (nodes: readonly DurationBounds[], bound: "low" | "high") =>
    fraction(nodes.reduce((slowest, each) => Math.max(slowest, each[bound]), 0));
  const low = greatestFraction(most(alone, "low"), divideFractions(sum("low"), places));
  const last = multiplyFractions(most(shared, "high"), fraction(pool.atOnce - 1, pool.atOnce));
  return { low: roundUp(low), high: roundUp(addFractions(divideFractions(sum("high"), places), last)) };
}

/** `lanes`: parallel migrations per node. `twice`: factor for VMs that migrate twice. */
type NodeContext = {
  readonly lanes: Fraction;
  readonly twice: Fraction;
  readonly isSingleReplica: boolean;
  readonly rate: MigrationRate;
  readonly restartOf: (disruption: DisruptionClass) => DurationBounds;
};

/** `draining`: the number of nodes, over all pools, that drain VMs in parallel. */
function contextOf(pool: PoolLoad, draining: number, { rate, settings, shape }: DurationInput): NodeContext {
  const restarts = new Map<DisruptionClass, DurationBounds>();
  return {
    lanes: lesserFraction(fraction(settings.migrationsPerNode), fraction(settings.migrationsPerCluster, draining)),
    // Early VMs migrate twice, because they land on nodes that drain later.
    twice: fraction(pool.nodes.length + pool.atOnce, pool.nodes.length),
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
    low: Math.max(0, roundUp(drain.low) + restart.low - spent),
    // The remaining migrations take their time, regardless of the time already spent.
    high: roundUp(drain.high) + restart.high,
  };
}

/** Returns the predicted maximum of a drain in seconds. `draining` nodes drain VMs in parallel. */
export function longestDrain(
  node: NodeLoad,
  { pool, draining }: { readonly pool: PoolLoad; readonly draining: number },
  input: DurationInput,
): number {
  return roundUp(drainBounds(node, contextOf(pool, draining, input)).high);
}

type ExactBounds = { readonly low: Fraction; readonly high: Fraction };

const noTime: ExactBounds = { low: fraction(0), high: fraction(0) };
const [leastDrain, oneAttempt, shortPause, slowAfter, longPause] = [
  fraction(30),
  fraction(90),
  fraction(60),
  fraction(600),
  fraction(300),
];

function drainBounds(node: NodeLoad, context: NodeContext): ExactBounds {
  const grace = fraction(node.gracePeriodSeconds ?? 0);
  if (context.isSingleReplica) return { low: noTime.low, high: grace };
  const { low, high } = migrationBounds(node, context);
  const evicted = greatestFraction(oneAttempt, high, grace);
  return { low: greatestFraction(leastDrain, low), high: addFractions(evicted, retryPause(evicted)) };
}

// The operator tries for 90 seconds and then waits 1 minute, or 5 minutes once the drain has taken 10 minutes. It
// notices the end of a drain only at its next attempt.
function retryPause(evicted: Fraction): Fraction {
  if (compareFractions(evicted, oneAttempt) <= 0) return noTime.low;
  return compareFractions(evicted, slowAfter) <= 0 ? shortPause : longPause;
}

const oneGiB = fraction(GiB);

function migrationBounds({ migrations }: NodeLoad, { lanes, twice, rate }: NodeContext): ExactBounds {
  if (migrations.count === 0) return noTime;
  const [largest, all] = [migrations.largest, migrations.bytes].map((bytes) =>
    divideFractions(fraction(bytes), oneGiB),
  );
  const spent = (fixed: number, pace: Fraction) => {
    const of = (count: number, gib: Fraction) => addFractions(fraction(fixed * count), multiplyFractions(pace, gib));
    return greatestFraction(
      of(1, largest ?? noTime.low),
      divideFractions(of(migrations.count, all ?? noTime.low), lanes),
    );
  };
  return { low: spent(5, rate.low), high: multiplyFractions(spent(30, rate.high), twice) };
}
