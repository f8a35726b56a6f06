// Reads the settings of KubeVirt and the HyperConverged that affect drains, with KubeVirt's defaults.

import type { Json, KubeObject } from "@virt/api";
import { asNumber, asText, at, type InformerSpec, readBytes } from "@virt/objects";
import { keepConditions, keepMembers } from "./kept-members.ts";

/** The settings of KubeVirt that affect live migration and placement. */
export type VirtSettings = {
  /** The default eviction strategy of the cluster. `None` if KubeVirt sets none. Undefined if unknown. */
  readonly evictionStrategy: string | undefined;
  readonly migrationsPerCluster: number;
  readonly migrationsPerNode: number;
  /** The migration timeout, in seconds per GiB. */
  readonly timeoutPerGiB: number;
  /** The bandwidth limit in bytes per second. 0 means no limit. */
  readonly bandwidth: number;
  /** Guest memory in percent of the memory request. */
  readonly memoryOvercommit: number;
};

/** The KubeVirt resource, with the settings that `readVirtSettings` needs and its health. */
export const kubeVirtInformer: InformerSpec = {
  apiVersion: "kubevirt.io/v1",
  kind: "KubeVirt",
  projection: keepMembers(
    ["spec", "configuration", "evictionStrategy"],
    ["spec", "configuration", "migrations"],
    ["spec", "configuration", "developerConfiguration", "memoryOvercommit"],
    ...keepConditions(["Available", "Degraded"], ["type", "status", "reason", "message"]),
  ),
};

/** Reads the settings from the KubeVirt object if possible, because it also includes JSON patches set in the HyperConverged. */
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

// KubeVirt rejects values below 1, or replaces them with its default.
function countOr(value: Json | undefined, otherwise: number): number {
  const count = asNumber(value) ?? 0;
  return Number.isInteger(count) && count >= 1 && count <= 1e9 ? count : otherwise;
}
