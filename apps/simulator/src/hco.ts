// What the simulated operators read of the HyperConverged object, in either of its versions.

import { asNumber, asText, at, type Json, type KubeObject } from "@virt/engine";
import type { World } from "./world.ts";

export function hyperConverged(world: World): KubeObject | undefined {
  return world.of("HyperConverged")[0];
}

export function hcoField(hco: KubeObject | undefined, ...path: readonly string[]): Json | undefined {
  const isNew = hco?.apiVersion === "hco.kubevirt.io/v1";
  return at(hco, "spec", ...(isNew ? ["virtualization"] : []), ...path);
}

/** How many migrations may run at once: in the cluster, and away from one node. */
export function migrationLimits(world: World): { readonly total: number; readonly node: number } {
  const limit = (name: string) => asNumber(hcoField(hyperConverged(world), "liveMigrationConfig", name)) ?? 0;
  const [total, node] = [limit("parallelMigrationsPerCluster"), limit("parallelOutboundMigrationsPerNode")];
  return { total: total > 0 ? total : 5, node: node > 0 ? node : 2 };
}

export function clusterEvictionStrategy(world: World): string {
  return asText(hcoField(hyperConverged(world), "evictionStrategy")) ?? "LiveMigrate";
}
