import { asText, at, type KubeObject } from "@virt/objects";
import { type MachineConfigPool, readMachineConfigPool } from "../kinds/machine-config-pool.ts";
import {
  conditionsOf,
  explanationOf,
  findTrue,
  type Health,
  type ObjectCondition,
  type PoolProgress,
} from "./conditions.ts";

/** A change that is being rolled out. A pool is done only after it has rendered the change. */
export type Rendering = {
  readonly machineConfig: string;
  readonly operation: "Apply" | "Delete";
  readonly isRendered: boolean;
  readonly startedMsAgo: number;
};

/** A render failure that lasts longer counts as permanent. */
const patienceMs = 5 * 60_000;

/**
 * Returns `done` once all machines run the config in the pool's spec and this config contains the change. `counted`
 * overrides the counts in the pool's status.
 */
export function machineConfigPoolHealth(object: KubeObject, rendering?: Rendering, counted?: PoolProgress): Health {
  const pool = readMachineConfigPool(object);
  const progress = counted ?? progressOf(object, rendering);
  const counts = countsOf(pool, progress);
  const health = problemOf(pool, rendering) ?? paceOf(pool, rendering, counts);
  if (progress.nodes === 0) return health;
  const whole = health.state === "done" ? { ...progress, updated: progress.nodes } : progress;
  return { ...health, pools: [whole] };
}

function paceOf(pool: MachineConfigPool, rendering: Rendering | undefined, counts: string): Health {
  const health = updateOf(pool, rendering, counts);
  const isHeld = pool.isPaused && health.state !== "done";
  return isHeld ? waiting(`${poolName(pool.name)} is paused${counts}`) : health;
}

function progressOf(object: KubeObject, rendering: Rendering | undefined): PoolProgress {
  const { nodes, updated } = poolProgress(object, rendering?.isRendered !== false);
  return { pool: object.metadata.name, nodes, ...(updated !== undefined && { updated }) };
}

/**
 * Returns the progress. `updated` is 0 until the pool has rendered the change. It is absent for a few seconds after
 * that, until the Machine Config Controller has refreshed the counts in the status.
 */
export function poolProgress(
  object: KubeObject,
  isRendered: boolean,
): { readonly nodes: number; readonly updated?: number; readonly degraded: number; readonly unavailable: number } {
  const pool = readMachineConfigPool(object);
  const { all, updated, ready, unavailable, degraded } = pool.machines;
  const common = { nodes: all, degraded, unavailable };
  if (!isRendered) return { ...common, updated: 0 };
  // The controller sets status.configuration once all machines run it. Until then, full counts belong to an earlier
  // config.
  const isFull = updated === all && ready === all && unavailable === 0;
  const isOutdated = pool.isBehind || (isFull && !isConfigured(pool));
  return isOutdated ? common : { ...common, updated };
}

export function poolName(name: string): string {
  return `MachineConfigPool '${name}'`;
}

function problemOf(pool: MachineConfigPool, rendering: Rendering | undefined): Health | undefined {
  const name = poolName(pool.name);
  const { conditions, hasStatus, machines } = pool;
  if (!hasStatus) return waiting("MachineConfigPool status not available");
  if (machines.degraded > 0) return degraded(`${name} is degraded (${brokenText(pool)})`);
  if (conditions.length === 0) return waiting("MachineConfigPool conditions not available");
  const render = findTrue(conditions, "RenderDegraded");
  if (render !== undefined && rendering !== undefined && rendering.startedMsAgo >= patienceMs) {
    const message = `${name} cannot render MachineConfig '${rendering.machineConfig}': ${explanationOf(render)}`;
    return { state: "failed", message, problem: message };
  }
  const whole = render ?? findTrue(conditions, "Degraded");
  return whole && degraded(`${name} is degraded (${listReportsOnce(explanationOf(whole))})`);
}

/** Returns the message of condition NodeDegraded, which names the nodes and the causes. */
function brokenText({ conditions, machines }: MachineConfigPool): string {
  const why = listReportsOnce(explanationOf(findTrue(conditions, "NodeDegraded")));
  const all = Math.max(machines.all, machines.degraded);
  return `${machines.degraded} of ${all} nodes${why === "" ? " degraded" : `: ${why}`}`;
}

function degraded(message: string): Health {
  return { state: "degraded", message, problem: message };
}

function updateOf(pool: MachineConfigPool, rendering: Rendering | undefined, counts: string): Health {
  const name = poolName(pool.name);
  if (findTrue(pool.conditions, "Updating") !== undefined) return waiting(`${name} is updating${counts}`);
  if (rendering !== undefined && !rendering.isRendered) return waiting(unrendered(name, rendering));
  const isUpdated = findTrue(pool.conditions, "Updated") !== undefined;
  if (!isUpdated || pool.isBehind || !isConfigured(pool)) return waiting(`${name} is processing changes${counts}`);
  return settled(pool, counts);
}

function settled({ name: pool, machines: { all, updated, ready } }: MachineConfigPool, counts: string): Health {
  const name = poolName(pool);
  if (all === 0) return { state: "done", message: `${name} is ready (no nodes in this pool)` };
  if (updated !== all || ready !== all) return waiting(`Waiting for ${name} to stabilize${counts}`);
  return { state: "done", message: `${name} is ready (all ${all} nodes updated)` };
}

function waiting(message: string): Health {
  return { state: "waiting", message };
}

function unrendered(name: string, { machineConfig, operation }: Rendering): string {
  if (operation === "Delete") return `${name} still renders MachineConfig '${machineConfig}'`;
  return `${name} has not rendered MachineConfig '${machineConfig}' yet`;
}

function isConfigured({ target, current }: MachineConfigPool): boolean {
  return target.name === current.name;
}

// `ready` counts only updated nodes that are ready. Shown alone, it would suggest that all other nodes are not ready.
function countsOf({ machines }: MachineConfigPool, { nodes, updated }: PoolProgress): string {
  if (updated === undefined) return "";
  const { all, updated: reported, ready, unavailable } = machines;
  const isWhole = updated === nodes && reported === all && nodes === all;
  const unready = isWhole && ready < all ? [`${ready} of them ready`] : [];
  const away = unavailable > 0 ? [`${unavailable} unavailable`] : [];
  return ` (${[`${updated} of ${nodes} nodes updated`, ...unready, ...away].join(", ")})`;
}

// The steps, starting with the last one. The current step is Unknown or True. The daemon reports Resumed before it
// uncordons the node.
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
  if (degraded !== undefined) return { state: "degraded", message: `${name} is degraded (${explanationOf(degraded)})` };
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

const report = /Node (\S+) is reporting: "((?:[^"\\]|\\.)*)"/gu;

/**
 * Returns the message with each report only once. The Machine Config Controller lists a degraded node twice: with the
 * message of its MachineConfigNode, which starts with `Node <name> upgrade failure.`, and with the node's annotation,
 * which the daemon truncates to 2,000 characters. Checked against `SetDegraded` (pkg/daemon/writer.go) and
 * `calculateStatus`
 * (pkg/controller/node/status.go) of openshift/machine-config-operator at 00d4bfc.
 */
export function listReportsOnce(message: string): string {
  const parts: string[] = [];
  let end = 0;
  for (const match of message.matchAll(report)) {
    const [text, name = "", reason = ""] = match;
    parts.push(message.slice(end, match.index), `Node ${name} is reporting: "${withoutFailure(reason, name)}"`);
    end = match.index + text.length;
  }
  const trimmed = [...parts, message.slice(end)].map((part) => part.replaceAll(/^[\s,]+|[\s,]+$/gu, ""));
  const distinct = [...new Set(trimmed.filter((part) => part !== ""))];
  return distinct.filter((part) => !isCut(part, distinct)).join(", ");
}

function withoutFailure(reason: string, node: string): string {
  const start = `Node ${node} upgrade failure. `;
  return reason.startsWith(start) ? reason.slice(start.length) : reason;
}

function isCut(part: string, all: readonly string[]): boolean {
  const start = part.replace(/"$/u, "");
  return start !== part && all.some((other) => other.length > part.length && other.startsWith(start));
}
