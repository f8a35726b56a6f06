// Warnings for reviewers about the pools of a MachineConfig: reboots, running updates and pauses.

import type { KubeObject } from "@virt/api";
import { affectedPools, poolProgress, roleLabel } from "@virt/cluster";
import { asList, asNumber, at, member } from "@virt/objects";

/** `changes`: true if the item changes the MachineConfig, so that the nodes of its pools reboot. */
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
    ...affected.filter(isPaused).map((pool) => `${nameOf(pool)} is paused`),
  ];
}

function rebootWarning(pool: KubeObject, role: string): readonly string[] {
  const machines = countOf(pool, "machineCount");
  if (machines === 0) return [];
  const nodes = machines === 1 ? "1 node" : `${machines} nodes`;
  const when = isPaused(pool) ? ", once it is unpaused" : "";
  const inherited = pool.metadata.name === role ? "" : `, which inherits '${role}'`;
  return [`Reboots ${nodes} of ${nameOf(pool)}${inherited}${when}`];
}

function isUpdating(pool: KubeObject): boolean {
  return asList(at(pool, "status", "conditions")).some(
    (condition) => member(condition, "type") === "Updating" && member(condition, "status") === "True",
  );
}

function progressOf(pool: KubeObject): string {
  const { nodes, updated } = poolProgress(pool, true);
  return updated === undefined ? "" : ` (${updated} of ${nodes} nodes updated)`;
}

function isPaused(pool: KubeObject): boolean {
  return at(pool, "spec", "paused") === true;
}

function countOf(pool: KubeObject, field: string): number {
  return asNumber(at(pool, "status", field)) ?? 0;
}

const nameOf = ({ metadata: { name } }: KubeObject): string => `MachineConfigPool '${name}'`;
