// How far a rollout of a MachineConfig is: on one node, in one pool, and in all pools that it concerns.

import type { KubeObject } from "../cluster.ts";
import { compareUtf8 } from "../encoding/bytes.ts";
import { asList, asNumber, asText, at, isMap, member } from "../json/json.ts";
import { matchesSelector } from "../label-selector.ts";
import { containsConfig, roleLabel } from "../machine-config.ts";
import {
  conditionsOf,
  findTrue,
  type Health,
  isBehind,
  type ObjectCondition,
  type PoolProgress,
} from "./conditions.ts";

/** What is rolled out, if something of ours is: then a pool is not done before it has rendered it. */
export type Rendering = {
  readonly machineConfig: string;
  readonly operation: "Apply" | "Delete";
  readonly isRendered: boolean;
  readonly startedMsAgo: number;
};

/** How long a pool may fail to render before we call it hopeless. */
const patienceMs = 5 * 60_000;

/** Done when every machine of the pool runs the configuration that its spec names, and that contains what is rolled out. */
export function machineConfigPoolHealth(pool: KubeObject, rendering?: Rendering): Health {
  const conditions = conditionsOf(pool);
  const health = problemOf(pool, conditions, rendering) ?? paceOf(pool, conditions, rendering);
  const isCounted = health.state !== "done" && machinesOf(pool).machines > 0;
  return isCounted ? { ...health, pools: [progressOf(pool, rendering)] } : health;
}

function paceOf(pool: KubeObject, conditions: readonly ObjectCondition[], rendering: Rendering | undefined): Health {
  const health = updateOf(pool, conditions, rendering);
  const isHeld = at(pool, "spec", "paused") === true && health.state !== "done";
  return isHeld ? waiting(`${poolName(pool.metadata.name)} is paused ${countsOf(pool)}`) : health;
}

/** While the pool has not rendered what is rolled out, its counts speak of what it ran before. */
function progressOf(pool: KubeObject, rendering: Rendering | undefined): PoolProgress {
  const { machines, updated } = machinesOf(pool);
  return { pool: pool.metadata.name, updated: rendering?.isRendered === false ? 0 : updated, nodes: machines };
}

function poolName(name: string): string {
  return `MachineConfigPool '${name}'`;
}

function problemOf(
  pool: KubeObject,
  conditions: readonly ObjectCondition[],
  rendering: Rendering | undefined,
): Health | undefined {
  const name = poolName(pool.metadata.name);
  const broken = asNumber(at(pool, "status", "degradedMachineCount")) ?? 0;
  if (!isMap(at(pool, "status"))) return waiting("MachineConfigPool status not available");
  if (broken > 0) return degraded(`${name} is degraded (${brokenText(pool, conditions, broken)})`);
  if (conditions.length === 0) return waiting("MachineConfigPool conditions not available");
  const render = findTrue(conditions, "RenderDegraded");
  if (render !== undefined && rendering !== undefined && rendering.startedMsAgo >= patienceMs) {
    const message = `${name} cannot render MachineConfig '${rendering.machineConfig}': ${render.message}`;
    return { state: "failed", message, problem: message };
  }
  const whole = render ?? findTrue(conditions, "Degraded");
  return whole && degraded(`${name} is degraded (${whole.message})`);
}

/** The pool's own condition names the nodes and why. */
function brokenText(pool: KubeObject, conditions: readonly ObjectCondition[], broken: number): string {
  const all = Math.max(machinesOf(pool).machines, broken);
  const why = findTrue(conditions, "NodeDegraded")?.message.trim() ?? "";
  return `${broken} of ${all} nodes${why === "" ? " degraded" : `: ${why}`}`;
}

function degraded(message: string): Health {
  return { state: "degraded", message, problem: message };
}

function updateOf(pool: KubeObject, conditions: readonly ObjectCondition[], rendering: Rendering | undefined): Health {
  const name = poolName(pool.metadata.name);
  if (findTrue(conditions, "Updating") !== undefined) return waiting(`${name} is updating ${countsOf(pool)}`);
  if (rendering !== undefined && !rendering.isRendered) return waiting(unrendered(name, rendering));
  const isUpdated = findTrue(conditions, "Updated") !== undefined;
  if (!isUpdated || isBehind(pool) || !isConfigured(pool))
    return waiting(`${name} is processing changes ${countsOf(pool)}`);
  return settled(pool);
}

function settled(pool: KubeObject): Health {
  const name = poolName(pool.metadata.name);
  const { machines, updated, ready } = machinesOf(pool);
  if (machines === 0) return { state: "done", message: `${name} is ready (no nodes in this pool)` };
  if (updated !== machines || ready !== machines) return waiting(`Waiting for ${name} to stabilize ${countsOf(pool)}`);
  return { state: "done", message: `${name} is ready (all ${machines} nodes updated)` };
}

function waiting(message: string): Health {
  return { state: "waiting", message };
}

function unrendered(name: string, { machineConfig, operation }: Rendering): string {
  if (operation === "Delete") return `${name} still renders MachineConfig '${machineConfig}'`;
  return `${name} has not rendered MachineConfig '${machineConfig}' yet`;
}

function isConfigured(pool: KubeObject): boolean {
  const [wanted, current] = ["spec", "status"].map((part) => asText(at(pool, part, "configuration", "name")));
  return wanted === current;
}

type Machines = { readonly machines: number; readonly updated: number; readonly ready: number; readonly away: number };

function machinesOf(pool: KubeObject): Machines {
  const count = (name: string) => asNumber(at(pool, "status", name)) ?? 0;
  return {
    machines: count("machineCount"),
    updated: count("updatedMachineCount"),
    ready: count("readyMachineCount"),
    away: count("unavailableMachineCount"),
  };
}

// `readyMachineCount` counts nodes that are ready and updated: shown to people, it reads as if the others did not serve.
function countsOf(pool: KubeObject): string {
  const { machines, updated, ready, away } = machinesOf(pool);
  const unready = updated === machines && ready < machines ? [`${ready} of them ready`] : [];
  const unavailable = away > 0 ? [`${away} unavailable`] : [];
  return `(${[`${updated} of ${machines} nodes updated`, ...unready, ...unavailable].join(", ")})`;
}

// In the order in which an update goes through them; a step under way is Unknown or True.
const steps = [
  { type: "Resumed", text: "is updated and schedulable" },
  { type: "Uncordoned", text: "is uncordoned" },
  { type: "RebootedNode", text: "is rebooting" },
  { type: "AppliedFilesAndOS", text: "is being updated" },
  { type: "Drained", text: "is being drained" },
  { type: "Cordoned", text: "is cordoned" },
  { type: "UpdatePrepared", text: "is about to be updated" },
] as const;

export function machineConfigNodeHealth(object: KubeObject): Health {
  const name = `Node '${object.metadata.name}'`;
  const conditions = conditionsOf(object);
  if (conditions.length === 0) return { state: "waiting", message: `${name} has no status yet` };
  const degraded = findTrue(conditions, "NodeDegraded");
  if (degraded !== undefined) return { state: "degraded", message: `${name} is degraded (${degraded.message})` };
  const current = asText(at(object, "status", "configVersion", "current"));
  const isCurrent = current !== undefined && current === asText(at(object, "spec", "configVersion", "desired"));
  if (isCurrent && findTrue(conditions, "Updated") !== undefined)
    return { state: "done", message: `${name} is updated` };
  const step = steps.find(({ type }) => conditions.some((condition) => isUnderWay(condition, type)));
  return { state: "waiting", message: `${name} ${step?.text ?? "waits to be updated"}` };
}

function isUnderWay(condition: ObjectCondition, type: string): boolean {
  return condition.type === type && condition.status !== "False";
}

/** A MachineConfig that a plan applied or deleted, and where its pools were before. */
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
  const healths = names.map((name) => {
    const pool = pools.find(({ metadata }) => metadata.name === name);
    if (pool === undefined) return missing(name);
    const { operation, startedMsAgo } = change;
    const isRendered = isRenderedBy(pool, change, renderedOf);
    return machineConfigPoolHealth(pool, { machineConfig: nameOf(change), operation, isRendered, startedMsAgo });
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

function isRenderedBy(pool: KubeObject, change: MachineConfigChange, renderedOf: RenderedOf): boolean {
  const target = asText(at(pool, "spec", "configuration", "name")) ?? "";
  const sources = asList(at(pool, "spec", "configuration", "source"));
  const isListed = sources.some((source) => member(source, "name") === nameOf(change));
  if (change.operation === "Delete") return !isListed;
  if (!isListed || !change.wasThere || target !== change.before.get(pool.metadata.name)) return isListed;
  const rendered = renderedOf(target);
  return rendered !== undefined && containsConfig(rendered, change.machineConfig);
}
