// What profiles that write a MachineConfig for the workers share: how it looks, what it needs, what to say about the pools it concerns.

import type { Need, Target } from "@virt/advisor";
import type { JsonMap, KubeObject, Ref } from "@virt/api";
import { affectedPools, at, roleLabel } from "@virt/engine";

const group = "machineconfiguration.openshift.io";
const kind = "MachineConfig";
const apiVersion = `${group}/v1`;

export function workerConfig(name: string, spec: JsonMap): KubeObject {
  return { apiVersion, kind, metadata: { labels: { [roleLabel]: "worker" }, name }, spec };
}

export function machineConfigRef(name: string): Ref {
  return { apiVersion, kind, name };
}

/** To be applied, and to be deleted when the option that asked for it is switched off. */
export function machineConfigTarget(name: string): Target {
  return { group, kind, plural: "machineconfigs", names: [name], isDeleted: true };
}

export function machineConfigNeed(remedy: string): Need {
  return { kind, group, versions: ["v1"], shown: `${group}.v1`, remedy };
}

/** Why a MachineConfig will not reach the nodes one would expect. */
export function poolWarnings(pools: readonly KubeObject[], machineConfig: KubeObject): readonly string[] {
  const names = affectedPools(pools, machineConfig);
  const affected = names.flatMap((name) => pools.filter(({ metadata }) => metadata.name === name));
  const paused = affected.filter((pool) => at(pool, "spec", "paused") === true);
  return [
    ...(hasNoMachines(affected) ? [`${poolName("worker")} has no machines; no node takes this configuration`] : []),
    ...paused.map(({ metadata }) => `${poolName(metadata.name)} is paused`),
  ];
}

// Workers may all be in custom pools, which take worker's configuration too: then nodes do take it.
function hasNoMachines(affected: readonly KubeObject[]): boolean {
  const isThere = affected.some(({ metadata }) => metadata.name === "worker");
  return isThere && affected.every((pool) => at(pool, "status", "machineCount") === 0);
}

const poolName = (name: string): string => `MachineConfigPool '${name}'`;
