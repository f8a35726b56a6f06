import { compareUtf8, type KubeObject, matchesSelector } from "@virt/objects";
import { readMachineConfigPool } from "../kinds/machine-config-pool.ts";
import { containsConfig, roleLabel } from "../machine-config.ts";
import type { Health, PoolProgress } from "./conditions.ts";
import { machineConfigPoolHealth, poolName } from "./machine-config-pool.ts";

/** A write of a MachineConfig whose rollout is tracked. */
export type MachineConfigChange = {
  readonly machineConfig: KubeObject; // the desired object, or the object before its deletion
  readonly operation: "Apply" | "Delete";
  readonly wasThere: boolean; // true if it existed before the write; the list of sources in each pool then stays the same
  readonly before: ReadonlyMap<string, string>; // the target config of each pool at the start of the rollout
  readonly startedMsAgo: number;
  readonly pools?: readonly string[]; // the pools that were affected before a deletion; if absent, those that the labels select
};

/** Returns a rendered config, or undefined if it was not read. */
export type RenderedOf = (name: string) => KubeObject | undefined;

/**
 * Returns the pools that select the MachineConfig, and the pool of its role (default `worker`) even if it does not
 * exist. `worker` comes first.
 */
export function affectedPools(pools: readonly KubeObject[], machineConfig: KubeObject): readonly string[] {
  const labels = machineConfig.metadata.labels ?? {};
  const matching = pools.filter((pool) => matchesSelector(readMachineConfigPool(pool).machineConfigSelector, labels));
  const names = new Set([labels[roleLabel] || "worker", ...matching.map(({ metadata }) => metadata.name)]);
  const rank = (name: string) => (name === "worker" ? 0 : 1);
  return [...names].toSorted((left, right) => rank(left) - rank(right) || compareUtf8(left, right));
}

/** Returns the progress of a pool, or undefined to use the counts in its status. */
export type CountOfPool = (pool: string) => PoolProgress | undefined;

/**
 * Returns the health of the rollout. Its message covers failed pools only, or else the pools that are not done, or else
 * all pools.
 */
export function rolloutHealth(
  pools: readonly KubeObject[],
  change: MachineConfigChange,
  renderedOf: RenderedOf,
  countOf: CountOfPool = () => undefined,
): Health {
  const names = change.pools ?? affectedPools(pools, change.machineConfig);
  const healths = names.map((name) => {
    const pool = pools.find(({ metadata }) => metadata.name === name);
    if (pool === undefined) return missing(name);
    const { operation, startedMsAgo } = change;
    const isRendered = isRenderedBy(pool, change, renderedOf);
    const rendering = { machineConfig: nameOf(change), operation, isRendered, startedMsAgo };
    return machineConfigPoolHealth(pool, rendering, countOf(name));
  });
  const state = worst.find((each) => healths.some((health) => health.state === each)) ?? "done";
  const open = healths.filter((health) => (state === "failed" ? health.state === state : health.state !== "done"));
  const message = (open.length > 0 ? open : healths).map((health) => health.message).join("; ");
  const problems = healths.flatMap(({ problem = [] }) => problem);
  const progress = healths.flatMap(({ pools: counted = [] }) => counted);
  return {
    state,
    message,
    ...(problems.length > 0 && { problem: problems.join("; ") }),
    ...(progress.length > 0 && { pools: progress }),
  };
}

function missing(name: string): Health {
  return { state: "waiting", message: `${poolName(name)} not found` };
}

const worst = ["failed", "degraded", "waiting"] as const;

function nameOf({ machineConfig }: MachineConfigChange): string {
  return machineConfig.metadata.name;
}

/** Reports whether the pool's target config contains the change. The nodes may not have applied it yet. */
export function isRenderedBy(pool: KubeObject, change: MachineConfigChange, renderedOf: RenderedOf): boolean {
  const { name: target = "", sources } = readMachineConfigPool(pool).target;
  const isListed = sources.includes(nameOf(change));
  if (change.operation === "Delete") return !isListed;
  if (!isListed || !change.wasThere || target !== change.before.get(pool.metadata.name)) return isListed;
  const rendered = renderedOf(target);
  return rendered !== undefined && containsConfig(rendered, change.machineConfig);
}
