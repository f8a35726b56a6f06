// The settings of KubeVirt that say what a drain does to VMs, with its own defaults.

import type { Json, KubeObject } from "@virt/api";
import { asNumber, asText, at, readBytes } from "@virt/engine";

/** What counts for evictions and migrations in the whole cluster. */
export type VirtSettings = {
  /** For VMs without their own; undefined: not known. `None` where KubeVirt has none. */
  readonly evictionStrategy: string | undefined;
  readonly migrationsPerCluster: number;
  readonly migrationsPerNode: number;
  /** Seconds per GiB after which a migration is cancelled. */
  readonly timeoutPerGiB: number;
  /** Bytes per second; 0: no limit. */
  readonly bandwidth: number;
  /** Percent of the memory that VMs may count on. */
  readonly memoryOvercommit: number;
};

/** KubeVirt's own object counts, since the HyperConverged and its patches end there; without it the HyperConverged's fields do. */
export function readVirtSettings(kubevirt: KubeObject | undefined, hco: KubeObject | undefined): VirtSettings {
  const configuration = at(kubevirt, "spec", "configuration");
  if (kubevirt !== undefined) {
    const overcommit = at(configuration, "developerConfiguration", "memoryOvercommit");
    const strategy = asText(at(configuration, "evictionStrategy")) ?? "None";
    return settingsOf(strategy, at(configuration, "migrations"), overcommit);
  }
  const isOld = hco?.apiVersion.endsWith("/v1beta1") === true;
  const values = isOld ? at(hco, "spec") : at(hco, "spec", "virtualization");
  const overcommit = at(values, "higherWorkloadDensity", "memoryOvercommitPercentage");
  return settingsOf(asText(at(values, "evictionStrategy")), at(values, "liveMigrationConfig"), overcommit);
}

function settingsOf(
  evictionStrategy: string | undefined,
  migrations: Json | undefined,
  overcommit: Json | undefined,
): VirtSettings {
  return {
    evictionStrategy,
    migrationsPerCluster: countOr(at(migrations, "parallelMigrationsPerCluster"), 5),
    migrationsPerNode: countOr(at(migrations, "parallelOutboundMigrationsPerNode"), 2),
    timeoutPerGiB: countOr(at(migrations, "completionTimeoutPerGiB"), 150),
    bandwidth: Math.trunc(readBytes(at(migrations, "bandwidthPerMigration")) ?? 0),
    memoryOvercommit: countOr(overcommit, 100),
  };
}

// Zero and below are refused by KubeVirt or mean its default.
function countOr(value: Json | undefined, otherwise: number): number {
  const count = asNumber(value) ?? 0;
  return Number.isInteger(count) && count >= 1 && count <= 1e9 ? count : otherwise;
}

/** How the cluster is built, as far as drains and reboots ask for it. */
export type ClusterShape = {
  /** The Machine Config Operator does not drain a node without a second one. */
  readonly isSingleReplica: boolean;
  /** As `platformStatus.type`; empty: not known, which counts as bare metal. */
  readonly platform: string;
};

/** Of the Infrastructure `cluster`; absent: highly available on bare metal. */
export function readClusterShape(infrastructure: KubeObject | undefined): ClusterShape {
  return {
    isSingleReplica: at(infrastructure, "status", "controlPlaneTopology") === "SingleReplica",
    platform: asText(at(infrastructure, "status", "platformStatus", "type")) ?? "",
  };
}
