// The health of an object by the rule of its kind, and of the rollout of a MachineConfig to its pools.

import { asText, at, compareUtf8, type KubeObject, matchesSelector } from "@virt/objects";
import { containsConfig, roleLabel } from "../kinds/machine-config.ts";
import { readMachineConfigPool } from "../kinds/machine-config-pool.ts";
import { conditionsOf, findTrue, type Health, operatorHealth, type PoolProgress } from "./conditions.ts";
import { machineConfigNodeHealth, machineConfigPoolHealth, poolName } from "./machine-config-pool.ts";

const rules: ReadonlyMap<string, (object: KubeObject) => Health> = new Map([
  ["HyperConverged", hyperConvergedHealth],
  ["KubeDescheduler", kubeDeschedulerHealth],
  ["MachineConfigNode", machineConfigNodeHealth],
  ["MachineConfigPool", (object: KubeObject) => machineConfigPoolHealth(object)],
  ["NodeHealthCheck", nodeHealthCheckHealth],
  ["VirtualMachineInstanceMigration", virtualMachineInstanceMigrationHealth],
]);

/** Returns the health of an object, or undefined if there is no rule for its kind. */
export function healthOf(object: KubeObject): Health | undefined {
  return rules.get(object.kind)?.(object);
}

function hyperConvergedHealth(object: KubeObject): Health {
  return operatorHealth(object, "unavailable");
}

/** Returns the health. Older descheduler operators do not report Available. */
function kubeDeschedulerHealth(object: KubeObject): Health {
  return operatorHealth(object, "available");
}

/** The Node Health Check Operator disables a check that it cannot execute, and then remediates no node. */
function nodeHealthCheckHealth(object: KubeObject): Health {
  const name = `${object.kind} '${object.metadata.name}'`;
  const conditions = conditionsOf(object);
  const disabled = findTrue(conditions, "Disabled");
  if (disabled !== undefined)
    return { state: "degraded", message: `${name} is disabled: ${disabled.reason}: ${disabled.message}` };
  if (conditions.length === 0) return { state: "waiting", message: `${name} has no status yet` };
  return { state: "done", message: `${name} is enabled` };
}

function virtualMachineInstanceMigrationHealth(object: KubeObject): Health {
  const machine = asText(at(object, "spec", "vmiName")) ?? "?";
  const phase = asText(at(object, "status", "phase")) ?? "";
  const name = `Migration '${object.metadata.name}' of '${machine}'`;
  if (phase === "Succeeded") return { state: "done", message: `${name} succeeded` };
  if (phase === "Failed") return { state: "failed", message: `${name} failed` };
  return { state: "waiting", message: phase === "" ? `${name} has not started` : `${name} is ${phase}` };
}

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
