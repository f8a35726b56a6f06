// Chooses the MigrationPolicy for a VM, and reads the settings that it overrides.

import { asNumber, asText, at, entriesOf, isMap, type Json, type KubeObject, readBytes } from "@virt/objects";
import { type ClusterState, findObject, virtSettings } from "./cluster-state.ts";

export type MigrationSettings = {
  readonly policyName?: string;
  /** The migration timeout, in seconds per GiB. */
  readonly timeoutPerGiB: number;
  /** The duration of the memory copy, in seconds per GiB. */
  readonly copyPerGiB: number;
};

const gib = 2 ** 30;

export function migrationSettings(cluster: ClusterState, machine: KubeObject): MigrationSettings {
  const { timeoutPerGiB } = virtSettings(cluster);
  const { migrationPerGiB } = cluster.scenario.durations;
  const policy = findMigrationPolicy(cluster, machine);
  if (policy === undefined) return { timeoutPerGiB, copyPerGiB: migrationPerGiB };
  const bandwidth = readBytes(at(policy, "spec", "bandwidthPerMigration")) ?? 0; // 0: no limit
  return {
    policyName: policy.metadata.name,
    timeoutPerGiB: asNumber(at(policy, "spec", "completionTimeoutPerGiB")) ?? timeoutPerGiB,
    copyPerGiB: bandwidth === 0 ? migrationPerGiB : Math.max(migrationPerGiB, gib / bandwidth),
  };
}

/** Returns the policy that matches the most labels. Ties are broken by the number of matching VM labels, then by name. */
function findMigrationPolicy(cluster: ClusterState, { metadata }: KubeObject): KubeObject | undefined {
  const namespace = findObject(cluster, "Namespace", metadata.namespace ?? "");
  const [best] = cluster
    .list("MigrationPolicy") // sorted by name
    .flatMap((policy) => {
      const selectors = at(policy, "spec", "selectors");
      const ofMachine = countMatches(at(selectors, "virtualMachineInstanceSelector"), metadata.labels);
      const ofNamespace = countMatches(at(selectors, "namespaceSelector"), namespace?.metadata.labels);
      const isMatch = isMap(selectors) && ofMachine !== undefined && ofNamespace !== undefined;
      return isMatch ? [{ policy, ofMachine, total: ofMachine + ofNamespace }] : [];
    })
    .toSorted((left, right) => right.total - left.total || right.ofMachine - left.ofMachine);
  return best?.policy;
}

/** Returns the number of matching labels, or undefined if any label differs. */
function countMatches(selector: Json | undefined, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const wanted = isMap(selector) ? entriesOf(selector) : [];
  return wanted.every(([name, value]) => labels[name] === asText(value)) ? wanted.length : undefined;
}
