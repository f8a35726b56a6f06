// How far the pools are that a MachineConfig concerns: all of them together decide whether its rollout is done.

import type { KubeObject } from "../cluster.ts";
import { asList, asText, at, member } from "../json.ts";
import { matchesSelector } from "../label-selector.ts";
import { containsConfig, roleLabel } from "../render-config.ts";
import { compareUtf8 } from "../utf8.ts";
import type { Health } from "./health.ts";
import { machineConfigPoolHealth, poolName } from "./machine-config-pool.ts";

export type MachineConfigChange = {
  readonly machineConfig: KubeObject; // as desired, or as it was before its deletion
  readonly operation: "Apply" | "Delete";
  readonly wasThere: boolean; // an apply that changes it leaves the pools' lists of sources as they are
  readonly before: ReadonlyMap<string, string>; // pool → the configuration it aimed at when the rollout began
  readonly startedMsAgo: number;
  readonly pools?: readonly string[]; // those that it concerned when it was still there; else by its labels
};

/** The rendered MachineConfig of that name, if it was read. */
export type RenderedOf = (name: string) => KubeObject | undefined;

/** The pools whose selector matches, and always the one of its role (`worker` if it has none), there or not. `worker` comes first. */
export function affectedPools(pools: readonly KubeObject[], machineConfig: KubeObject): readonly string[] {
  const labels = machineConfig.metadata.labels ?? {};
  const matching = pools.filter((pool) => matchesSelector(at(pool, "spec", "machineConfigSelector"), labels));
  const names = new Set([labels[roleLabel] || "worker", ...matching.map(({ metadata }) => metadata.name)]);
  const rank = (name: string) => (name === "worker" ? 0 : 1);
  return [...names].toSorted((left, right) => rank(left) - rank(right) || compareUtf8(left, right));
}

/** Speaks of the pools that are not done, else of all. */
export function rolloutHealth(
  pools: readonly KubeObject[],
  change: MachineConfigChange,
  renderedOf: RenderedOf,
): Health {
  const names = change.pools ?? affectedPools(pools, change.machineConfig);
  const verdicts = names.map((name) => {
    const pool = pools.find(({ metadata }) => metadata.name === name);
    if (pool === undefined) return { state: "waiting", message: `${poolName(name)} not found` } as const;
    const { operation, startedMsAgo } = change;
    const isRendered = isRenderedBy(pool, change, renderedOf);
    return machineConfigPoolHealth(pool, { machineConfig: nameOf(change), operation, isRendered, startedMsAgo });
  });
  const state = worst.find((each) => verdicts.some((verdict) => verdict.state === each)) ?? "done";
  const open = verdicts.filter((verdict) => (state === "failed" ? verdict.state === state : verdict.state !== "done"));
  return { state, message: (open.length > 0 ? open : verdicts).map(({ message }) => message).join("; ") };
}

const worst = ["failed", "degraded", "waiting"] as const;

function nameOf({ machineConfig }: MachineConfigChange): string {
  return machineConfig.metadata.name;
}

function isRenderedBy(pool: KubeObject, change: MachineConfigChange, renderedOf: RenderedOf): boolean {
  const target = asText(at(pool, "spec", "configuration", "name")) ?? "";
  const sources = asList(at(pool, "spec", "configuration", "source"));
  const isListed = sources.some((source) => member(source, "name") === nameOf(change));
  if (change.operation === "Delete") return !isListed;
  if (!isListed || !change.wasThere || target !== change.before.get(pool.metadata.name)) return isListed;
  const rendered = renderedOf(target);
  return rendered !== undefined && containsConfig(rendered, change.machineConfig);
}
