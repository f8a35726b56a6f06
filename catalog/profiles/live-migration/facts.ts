// The facts and settings of live migration.

import { lookup, type ProfileFacts, vmNodes } from "@virt/advisor";
import { configKind } from "@virt/api";
import { hco, objects, schema } from "@virt/cluster";
import type { Options } from "./options.ts";

export const policyKind = {
  group: "migrations.kubevirt.io",
  version: "v1alpha1",
  kind: "MigrationPolicy",
  plural: "migrationpolicies",
  name: "virt-live-migration",
} as const;

export const policyRef = {
  apiVersion: `${policyKind.group}/${policyKind.version}`,
  kind: policyKind.kind,
  name: policyKind.name,
} as const;

export const networkKind = {
  group: "k8s.cni.cncf.io",
  version: "v1",
  kind: "NetworkAttachmentDefinition",
  crd: "network-attachment-definitions.k8s.cni.cncf.io",
} as const;

/** The profile that derives its limits from the migration limits of the HyperConverged. */
export const loadAware = "load-aware-rebalancing";

export const reads = {
  hco: hco(),
  policies: objects(policyRef.apiVersion, policyKind.kind, [["spec", "selectors"]]),
  policySchema: schema(`${policyKind.plural}.${policyKind.group}`, policyKind.version),
  networks: objects(
    `${networkKind.group}/${networkKind.version}`,
    networkKind.kind,
    [["spec", "config"]],
    networkKind.crd,
  ),
  vmNodes: vmNodes(false),
  loadAware: lookup({ apiVersion: configKind.apiVersion, kind: configKind.kind, name: loadAware }),
};

export type MigrationFacts = ProfileFacts<typeof reads>;

export const convergences = ["None", "AutoConverge", "PostCopy"] as const;

export type Convergence = (typeof convergences)[number];

export const defaults = { enabled: true } as const;

/** The options in force. Empty if the profile is disabled. */
export function optionsInForce(given: Options | undefined): Options {
  const { enabled = defaults.enabled, ...settings } = given ?? {};
  return enabled ? settings : {};
}

/** The map of the HyperConverged that the plan writes. */
export const section = "liveMigrationConfig";

/** The options and their fields in this map, except `convergence`, which has two. */
export const optionFields = {
  perCluster: "parallelMigrationsPerCluster",
  perNode: "parallelOutboundMigrationsPerNode",
  bandwidthPerMigration: "bandwidthPerMigration",
  completionSecondsPerGiB: "completionTimeoutPerGiB",
  progressSeconds: "progressTimeout",
  network: "network",
} as const;
