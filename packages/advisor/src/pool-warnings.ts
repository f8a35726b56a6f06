// Warnings for reviewers about the pools that a MachineConfig affects: reboots, updates in progress and paused pools.

import type { KubeObject } from "@virt/api";
import { affectedPools, findTrue, poolProgress, readMachineConfigPool, roleLabel } from "@virt/cluster";

/** Returns the warnings. `changes` is true if the item changes the MachineConfig, which reboots nodes. */
export function poolWarnings(
  pools: readonly KubeObject[],
  machineConfig: KubeObject,
  changes: boolean,
): readonly string[] {
  const affected = affectedPools(pools, machineConfig).flatMap((name) =>
    pools.filter(({ metadata }) => metadata.name === name),
  );
  const role = machineConfig.metadata.labels?.[roleLabel] || "worker";
  return [
    ...(changes ? affected.flatMap((pool) => rebootWarning(pool, role)) : []),
    ...affected.filter(isUpdating).map((pool) => `${nameOf(pool)} is already updating${progressOf(pool)}`),
    ...affected.filter((pool) => readMachineConfigPool(pool).isPaused).map((pool) => `${nameOf(pool)} is paused`),
  ];
}

function rebootWarning(pool: KubeObject, role: string): readonly string[] {
  const { machines: counts, isPaused } = readMachineConfigPool(pool);
  const machines = counts.all;
  if (machines === 0) return [];
  const nodes = machines === 1 ? "1 node" : `${machines} nodes`;
  const when = isPaused ? ", once it is unpaused" : "";
  const inherited = pool.metadata.name === role ? "" : `, which inherits '${role}'`;
  return [`Reboots ${nodes} of ${nameOf(pool)}${inherited}${when}`];
}

function isUpdating(pool: KubeObject): boolean {
  return findTrue(readMachineConfigPool(pool).conditions, "Updating") !== undefined;
}

function progressOf(pool: KubeObject): string {
  const { nodes, updated } = poolProgress(pool, true);
  return updated === undefined ? "" : ` (${updated} of ${nodes} nodes updated)`;
}

const nameOf = ({ metadata: { name } }: KubeObject): string => `MachineConfigPool '${name}'`;
