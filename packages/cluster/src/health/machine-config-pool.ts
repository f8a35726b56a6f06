// The health of a MachineConfig rollout on a node and in a pool.

import { asNumber, asText, at, isMap, type KubeObject } from "@virt/objects";
import {
  conditionsOf,
  findTrue,
  type Health,
  isBehind,
  type ObjectCondition,
  type PoolProgress,
} from "./conditions.ts";
import { listReportsOnce } from "./node-reports.ts";

/** The change that is rolled out. A pool is done only after it has rendered the change. */
export type Rendering = {
  readonly machineConfig: string;
  readonly operation: "Apply" | "Delete";
  readonly isRendered: boolean;
  readonly startedMsAgo: number;
};

/** A longer render failure counts as permanent. */
const patienceMs = 5 * 60_000;

/**
 * Returns done when every machine runs the configuration in the pool's spec and it contains the change. `counted`
 * overrides the counts in the pool's status.
 */
export function machineConfigPoolHealth(pool: KubeObject, rendering?: Rendering, counted?: PoolProgress): Health {
  const conditions = conditionsOf(pool);
  const progress = counted ?? progressOf(pool, rendering);
  const counts = countsOf(pool, progress);
  const health = problemOf(pool, conditions, rendering) ?? paceOf(pool, conditions, rendering, counts);
  if (progress.nodes === 0) return health;
  const whole = health.state === "done" ? { ...progress, updated: progress.nodes } : progress;
  return { ...health, pools: [whole] };
}

function paceOf(
  pool: KubeObject,
  conditions: readonly ObjectCondition[],
  rendering: Rendering | undefined,
  counts: string,
): Health {
  const health = updateOf(pool, conditions, rendering, counts);
  const isHeld = at(pool, "spec", "paused") === true && health.state !== "done";
  return isHeld ? waiting(`${poolName(pool.metadata.name)} is paused${counts}`) : health;
}

function progressOf(pool: KubeObject, rendering: Rendering | undefined): PoolProgress {
  const { nodes, updated } = poolProgress(pool, rendering?.isRendered !== false);
  return { pool: pool.metadata.name, nodes, ...(updated !== undefined && { updated }) };
}

/**
 * Returns `updated` 0 until the pool has rendered the change, and none while the status counts machines of an earlier
 * target: the Machine Config Controller refreshes the counts some seconds after it renders.
 */
export function poolProgress(
  pool: KubeObject,
  isRendered: boolean,
): { readonly nodes: number; readonly updated?: number; readonly degraded: number; readonly unavailable: number } {
  const { machines, updated, ready, away } = machinesOf(pool);
  const degraded = asNumber(at(pool, "status", "degradedMachineCount")) ?? 0;
  const common = { nodes: machines, degraded, unavailable: away };
  if (!isRendered) return { ...common, updated: 0 };
  // The controller sets status.configuration once all machines are ready with it. Full counts for another target are
  // outdated.
  const isFull = updated === machines && ready === machines && away === 0;
  const isOutdated = isBehind(pool) || (isFull && !isConfigured(pool));
  return isOutdated ? common : { ...common, updated };
}

export function poolName(name: string): string {
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
  return whole && degraded(`${name} is degraded (${listReportsOnce(whole.message)})`);
}

/** The NodeDegraded condition names the nodes and causes. */
function brokenText(pool: KubeObject, conditions: readonly ObjectCondition[], broken: number): string {
  const all = Math.max(machinesOf(pool).machines, broken);
  const why = listReportsOnce(findTrue(conditions, "NodeDegraded")?.message ?? "");
  return `${broken} of ${all} nodes${why === "" ? " degraded" : `: ${why}`}`;
}

function degraded(message: string): Health {
  return { state: "degraded", message, problem: message };
}

function updateOf(
  pool: KubeObject,
  conditions: readonly ObjectCondition[],
  rendering: Rendering | undefined,
  counts: string,
): Health {
  const name = poolName(pool.metadata.name);
  if (findTrue(conditions, "Updating") !== undefined) return waiting(`${name} is updating${counts}`);
  if (rendering !== undefined && !rendering.isRendered) return waiting(unrendered(name, rendering));
  const isUpdated = findTrue(conditions, "Updated") !== undefined;
  if (!isUpdated || isBehind(pool) || !isConfigured(pool)) return waiting(`${name} is processing changes${counts}`);
  return settled(pool, counts);
}

function settled(pool: KubeObject, counts: string): Health {
  const name = poolName(pool.metadata.name);
  const { machines, updated, ready } = machinesOf(pool);
  if (machines === 0) return { state: "done", message: `${name} is ready (no nodes in this pool)` };
  if (updated !== machines || ready !== machines) return waiting(`Waiting for ${name} to stabilize${counts}`);
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

// `readyMachineCount` counts nodes that are ready and updated. Shown alone, it suggests that the others are not ready.
function countsOf(pool: KubeObject, { nodes, updated }: PoolProgress): string {
  if (updated === undefined) return "";
  const { machines, updated: reported, ready, away } = machinesOf(pool);
  const isWhole = updated === nodes && reported === machines && nodes === machines;
  const unready = isWhole && ready < machines ? [`${ready} of them ready`] : [];
  const unavailable = away > 0 ? [`${away} unavailable`] : [];
  return ` (${[`${updated} of ${nodes} nodes updated`, ...unready, ...unavailable].join(", ")})`;
}

// The last step comes first. A current step is Unknown or True. The daemon reports Resumed before the uncordon.
const steps = [
  { type: "Uncordoned", text: "is uncordoned" },
  { type: "Resumed", text: "is waiting to be uncordoned" },
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
  return { state: "waiting", message: `${name} ${step?.text ?? "is waiting to be updated"}` };
}

function isUnderWay(condition: ObjectCondition, type: string): boolean {
  return condition.type === type && condition.status !== "False";
}
