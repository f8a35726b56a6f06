// How long a rollout takes, as bounds in seconds: exact until each node and each pool is rounded up.

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

/** Bounds in seconds. */
export type DurationBounds = { readonly low: number; readonly high: number };

/** What takes time on a node. */
export type NodeLoad = {
  readonly class: DisruptionClass;
  /** How many VMs migrate, and what is copied for all of them and for the largest, in bytes. */
  readonly migrations: { readonly count: number; readonly bytes: number; readonly largest: number };
  /** The longest grace period of the VMs that stop or restart, in seconds; undefined: none does. */
  readonly gracePeriodSeconds: number | undefined;
  /** Of a node at work: what lies behind it; absent: all is yet to come. */
  readonly progress?: NodeProgress;
};

/** How far a node at work is. Its VMs are those that are left. */
export type NodeProgress = {
  readonly isDrained: boolean;
  /** Seconds that it has been drained for; if it is drained, seconds since then. */
  readonly spentSeconds: number;
};

/** A pool that runs. */
export type PoolLoad = {
  readonly name: string;
  /** At least 1. */
  readonly atOnce: number;
  /** At least one. */
  readonly nodes: readonly NodeLoad[];
  /** How long nodes of the pool took to come back, in seconds. */
  readonly restartSamples: readonly number[];
};

/** What counts for all pools. */
export type DurationInput = {
  readonly rate: MigrationRate;
  readonly settings: Pick<VirtSettings, "migrationsPerCluster" | "migrationsPerNode">;
  readonly shape: ClusterShape;
};

/** How long a GiB takes to migrate, in seconds, and where that is known from. */
export type MigrationRate = {
  readonly low: Fraction;
  readonly high: Fraction;
  readonly source: "history" | "default";
  /** Whether the bandwidth limit is too low for the timeout. */
  readonly isCancelled: boolean;
};

const GiB = 2 ** 30;
const leastSamples = { migrations: 5, restarts: 3 };

/** From what the VMs' last migrations took, if enough are known; else by what networks do, and by KubeVirt's limits. */
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

/** How fast a migration was. */
type MigrationPace = { readonly ms: number; readonly bytes: number; readonly approximate: number };

// A quotient of floating points is rounded as its exact value is ordered: fractions are needed only between equal ones.
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
  // A timeout that is shorter than what is thinkable bounds nothing.
  return { low, high: greatestFraction(low, limited), source: "default", isCancelled };
}

/** Where the times of a restart are known from. */
export type RestartSource = "observed" | "default";

/** How long nodes take to come back: what was seen in the pool, if enough was; else what machines of the platform need. */
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

/** The bounds of each pool by name, and of the plan: pools run at the same time. Undefined: no pool runs. */
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

// Low: no faster than all places taken all the time, nor than the slowest node with all lanes for itself. High: good for any order
// in which a node starts as soon as a place is free.
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

/** What is the same for all nodes of a pool: how many migrations run from each at once, and how many VMs move twice. */
type NodeContext = {
  readonly lanes: Fraction;
  readonly twice: Fraction;
  readonly isSingleReplica: boolean;
  readonly rate: MigrationRate;
  readonly restartOf: (disruption: DisruptionClass) => DurationBounds;
};

/** `draining` nodes of all pools drain VMs at the same time. */
function contextOf(pool: PoolLoad, draining: number, { rate, settings, shape }: DurationInput): NodeContext {
  const restarts = new Map<DisruptionClass, DurationBounds>();
  return {
    lanes: lesserFraction(fraction(settings.migrationsPerNode), fraction(settings.migrationsPerCluster, draining)),
    // The first VMs move twice: onto nodes that are drained later.
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

/** The bounds of one node, rounded up. */
function nodeBounds(node: NodeLoad, context: NodeContext): DurationBounds {
  const restart = context.restartOf(node.class);
  const { isDrained, spentSeconds } = node.progress ?? { isDrained: false, spentSeconds: 0 };
  const spent = Math.max(0, Math.floor(spentSeconds));
  if (isDrained) return { low: Math.max(0, restart.low - spent), high: Math.max(0, restart.high - spent) };
  const hasDrain = node.class === "Reboot" || node.class === "Drain";
  const drain = hasDrain ? drainBounds(node, context) : noTime;
  return {
    low: Math.max(0, roundUp(drain.low) + restart.low - spent),
    // What is left to move takes its time, however long others took before it.
    high: roundUp(drain.high) + restart.high,
  };
}

/** The most seconds that a drain takes, as predicted; `draining` nodes drain VMs at the same time. */
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

// The operator tries for 90 s and waits a minute, after ten minutes five: the end of a drain is noticed that much later.
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
