// A MachineConfigPool is done when every machine of it runs the configuration that its spec names.

import type { KubeObject } from "../cluster.ts";
import { asNumber, asText, at, isMap } from "../json.ts";
import { type Condition, conditionsOf, findTrue, isBehind } from "./conditions.ts";
import type { Health } from "./health.ts";

/** What is rolled out, if something of ours is: then a pool is not done before it has rendered it. */
export type Rendering = {
  readonly machineConfig: string;
  readonly operation: "Apply" | "Delete";
  readonly isRendered: boolean;
  readonly startedMsAgo: number;
};

/** How long a pool may fail to render before we call it hopeless. */
const patienceMs = 5 * 60_000;

export function machineConfigPoolHealth(pool: KubeObject, rendering?: Rendering): Health {
  const conditions = conditionsOf(pool);
  const trouble = troubleOf(pool, conditions, rendering);
  if (trouble !== undefined) return trouble;
  const progress = progressOf(pool, conditions, rendering);
  const isHeld = at(pool, "spec", "paused") === true && progress.state !== "done";
  return isHeld ? waiting(`${poolName(pool.metadata.name)} is paused ${countsOf(pool)}`) : progress;
}

export function poolName(name: string): string {
  return `MachineConfigPool '${name}'`;
}

function troubleOf(
  pool: KubeObject,
  conditions: readonly Condition[],
  rendering: Rendering | undefined,
): Health | undefined {
  const name = poolName(pool.metadata.name);
  const machines = asNumber(at(pool, "status", "degradedMachineCount")) ?? 0;
  if (!isMap(at(pool, "status"))) return waiting("MachineConfigPool status not available");
  if (machines > 0) return { state: "degraded", message: `${name} is degraded (${machines} degraded machines)` };
  if (conditions.length === 0) return waiting("MachineConfigPool conditions not available");
  const render = findTrue(conditions, "RenderDegraded");
  if (render !== undefined && rendering !== undefined && rendering.startedMsAgo >= patienceMs) {
    return {
      state: "failed",
      message: `${name} cannot render MachineConfig '${rendering.machineConfig}': ${render.message}`,
    };
  }
  const degraded = render ?? findTrue(conditions, "Degraded");
  return degraded && { state: "degraded", message: `${name} is degraded (${degraded.message})` };
}

function progressOf(pool: KubeObject, conditions: readonly Condition[], rendering: Rendering | undefined): Health {
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

function machinesOf(pool: KubeObject): { readonly machines: number; readonly updated: number; readonly ready: number } {
  const count = (name: string) => asNumber(at(pool, "status", name)) ?? 0;
  return { machines: count("machineCount"), updated: count("updatedMachineCount"), ready: count("readyMachineCount") };
}

function countsOf(pool: KubeObject): string {
  const { machines, updated, ready } = machinesOf(pool);
  return `(Updated: ${updated}/${machines}, Ready: ${ready}/${machines})`;
}
