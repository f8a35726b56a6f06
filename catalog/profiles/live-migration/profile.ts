// Sets limits, convergence and network of live migrations.

import {
  type CrdRequirement,
  defineProfile,
  type OptionsRefusal,
  type PlanInput,
  type PlannedItem,
} from "@virt/advisor";
import type { KubeObject } from "@virt/api";
import { asText, at, sha256 } from "@virt/objects";
import { fieldsOfHco, hyperConverged, hyperConvergedAbsent, hyperConvergedNeed } from "../hyperconverged.ts";
import { type MigrationFacts, networkKind, optionFields, optionsInForce, policyKind, reads, section } from "./facts.ts";
import { configureMigrations, migrationForms } from "./hyperconverged.ts";
import { configurePolicy, policyForms } from "./migration-policy.ts";
import type { Options } from "./options.ts";
import { networkWarnings } from "./warnings.ts";

const optionsKey = "liveMigration";
const installVirtualization = "Install OpenShift Virtualization via OLM";
const { group, kind, plural, name } = hyperConverged;

const hcoOption = (field: string) => ({ fields: fieldsOfHco(`${section}.${field}`), source: "the HyperConverged" });

export default defineProfile({
  name: "live-migration",
  optionsKey,
  derivedOptions: {
    perCluster: hcoOption(optionFields.perCluster),
    perNode: hcoOption(optionFields.perNode),
    bandwidthPerMigration: hcoOption(optionFields.bandwidthPerMigration),
    completionSecondsPerGiB: hcoOption(optionFields.completionSecondsPerGiB),
    progressSeconds: hcoOption(optionFields.progressSeconds),
    convergence: hcoOption("allowAutoConverge"),
    network: hcoOption(optionFields.network),
    policy: { fields: ["spec.selectors"], source: "the MigrationPolicy" },
  },
  category: "migration",
  description: "Sets limits, convergence and network of live migrations",
  impactSummary: "Low - Medium if the migration network changes, because virt-handler restarts on every node",
  documentation: "LIVEMIGRATION_PROFILE",
  impact: "Medium",
  isAdvertised: true,
  purposes: [],
  targets: [
    { group, kind, plural, names: [name], namespaces: ["$hco"], isNeverCreated: true, forms: migrationForms },
    {
      group: policyKind.group,
      kind: policyKind.kind,
      plural: policyKind.plural,
      names: [policyKind.name],
      isDeleted: true,
      forms: policyForms,
    },
  ],
  reads,
  needs,
  refuse,
  inputs,
  plan,
  dryRunWarnings: networkWarnings,
});

function needs(given: Options | undefined): readonly CrdRequirement[] {
  const { network, policy } = optionsInForce(given);
  return [
    hyperConvergedNeed(installVirtualization),
    ...(policy === undefined ? [] : [needOf(policyKind, installVirtualization)]),
    ...(network === undefined ? [] : [needOf(networkKind, "Install the cluster's Multus or Network Operator")]),
  ];
}

type NeededKind = { readonly kind: string; readonly group: string; readonly version: string };

function needOf({ kind, group, version }: NeededKind, remedy: string): CrdRequirement {
  return { kind, group, versions: [version], shown: `${group}.${version}`, remedy };
}

function refuse(given: Options | undefined, facts: MigrationFacts): OptionsRefusal | undefined {
  const isSet = Object.keys(given ?? {}).some((option) => option !== "enabled");
  if (given?.enabled !== false && !isSet)
    return { kind: "invalid", message: `Set at least one option of ${optionsKey}` };
  if (facts.hco.object === undefined) return hyperConvergedAbsent(facts.hco.namespace);
  const { network } = optionsInForce(given);
  if (network === undefined || networkOf(network, facts) !== undefined) return undefined;
  return {
    kind: "absent",
    message: `${networkKind.kind} '${facts.hco.namespace}/${network}' does not exist`,
    next: `create it in the namespace of the ${kind}`,
  };
}

function networkOf(network: string, { hco, networks }: MigrationFacts): KubeObject | undefined {
  return networks.find(({ metadata }) => metadata.namespace === hco.namespace && metadata.name === network);
}

/** Values that are not given belong to other clients, and the plan does not depend on them. */
function inputs(given: Options | undefined, facts: MigrationFacts): readonly PlanInput[] {
  const { network } = optionsInForce(given);
  if (network === undefined) return [];
  const found = networkOf(network, facts);
  const text = `${networkKind.kind} ${facts.hco.namespace}/${network} changed`;
  return [
    {
      name: "networkAttachmentDefinition",
      now: found && sha256(asText(at(found, "spec", "config")) ?? ""),
      describe: () => text,
      summarize: () => text,
    },
  ];
}

// Removals come last in every plan.
function plan(given: Options | undefined, facts: MigrationFacts): readonly PlannedItem[] {
  return [configureMigrations(given, facts), ...configurePolicy(given, facts)];
}
