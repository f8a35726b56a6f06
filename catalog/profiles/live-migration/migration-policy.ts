// Plans the MigrationPolicy: other values for the VMs with some labels.

import type { PlannedItem } from "@virt/advisor";
import { contentForms, type JsonMap, type KubeObject, type ObjectForm } from "@virt/api";
import { asText, at, entriesOf, isMap } from "@virt/objects";
import { labelForms } from "../labels.ts";
import { type MigrationFacts, optionsInForce, policyRef } from "./facts.ts";
import { bandwidthForm, completionForm, convergenceValues } from "./hyperconverged.ts";
import type { Options } from "./options.ts";
import { convergenceWarnings, speedAfter, speedWarning } from "./warnings.ts";

const { apiVersion, kind, name } = policyRef;
const { fields, mapOf, oneOf, optional, required } = contentForms;

const selector = optional(mapOf(labelForms.key, labelForms.value, 16));

/** The allowed content of a plan, for all options. */
export const policyForms: readonly ObjectForm[] = [
  {
    apiVersion,
    spec: fields({
      selectors: required(fields({ virtualMachineInstanceSelector: selector, namespaceSelector: selector })),
      allowAutoConverge: optional(oneOf(true, false)),
      allowPostCopy: optional(oneOf(true, false)),
      bandwidthPerMigration: optional(bandwidthForm),
      completionTimeoutPerGiB: optional(completionForm),
    }),
  },
];

const itemName = "configure-migration-policy";

/** Plans the policy or its removal. Plans nothing if the cluster does not serve the kind. */
export function configurePolicy(given: Options | undefined, facts: MigrationFacts): readonly PlannedItem[] {
  const settings = optionsInForce(given);
  if (settings.policy !== undefined) return [policyItem(settings.policy, settings, facts)];
  return facts.policySchema === undefined ? [] : [removal];
}

type PolicyOptions = NonNullable<Options["policy"]>;

function policyItem(policy: PolicyOptions, settings: Options, facts: MigrationFacts): PlannedItem {
  const spec = specOf(policy);
  const selectors = Object.keys(spec.selectors).map((key) => `spec.selectors.${key}`);
  const values = Object.keys(spec).filter((key) => key !== "selectors");
  const labels = [policy.vmLabels, policy.namespaceLabels].flatMap((all) => labelTexts(all));
  const { bandwidthPerMigration, completionSecondsPerGiB } = policy;
  const ofPolicy = {
    ...(bandwidthPerMigration !== undefined && { bandwidthPerMigration }),
    ...(completionSecondsPerGiB !== undefined && { completionSecondsPerGiB }),
  };
  return {
    name: itemName,
    message: `${kind} '${name}' will select VMs by ${labels.join(", ")}`,
    operation: "Apply",
    target: policyRef,
    desired: { apiVersion, kind, metadata: { name }, spec },
    managedFields: [...selectors, ...values.map((key) => `spec.${key}`)],
    warnings: [
      ...convergenceWarnings(policy.convergence),
      ...speedWarning(ofPolicy, speedAfter({ ...settings, ...ofPolicy }, facts.hco.object)),
      ...rivalWarnings(policy, facts.policies),
    ],
    impact: { create: "Low", change: "Low" },
  };
}

function specOf({ vmLabels, namespaceLabels, convergence, ...values }: PolicyOptions) {
  const { bandwidthPerMigration, completionSecondsPerGiB } = values;
  return {
    selectors: {
      ...(vmLabels && { virtualMachineInstanceSelector: vmLabels }),
      ...(namespaceLabels && { namespaceSelector: namespaceLabels }),
    },
    ...(convergence !== undefined && convergenceValues(convergence)),
    ...(bandwidthPerMigration !== undefined && { bandwidthPerMigration }),
    ...(completionSecondsPerGiB !== undefined && { completionTimeoutPerGiB: completionSecondsPerGiB }),
  };
}

function labelTexts(labels: Readonly<Record<string, string>> | undefined): readonly string[] {
  return Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
}

/** Only the fields that every policy of this profile has, because the options of the earlier plan are unknown. */
const removal: PlannedItem = {
  name: itemName,
  message: `${kind} '${name}' will be deleted`,
  operation: "Delete",
  target: policyRef,
  managedFields: ["spec.selectors"],
  warnings: [],
  impact: "Low",
};

function rivalWarnings(policy: PolicyOptions, policies: readonly KubeObject[]): readonly string[] {
  const isRival = (other: KubeObject) => other.metadata.name !== name && mayMatchToo(policy, other);
  return policies
    .filter(isRival)
    .map(
      ({ metadata }) =>
        `${kind} '${metadata.name}' also matches: KubeVirt takes the policy with more matching labels, then the first by name`,
    );
}

/** Reports whether a VM can have the labels of both policies. KubeVirt ignores a policy without selectors. */
function mayMatchToo({ vmLabels = {}, namespaceLabels = {} }: PolicyOptions, other: KubeObject): boolean {
  const selectors = at(other, "spec", "selectors");
  if (!isMap(selectors)) return false;
  return (
    areCompatible(vmLabels, selectors["virtualMachineInstanceSelector"]) &&
    areCompatible(namespaceLabels, selectors["namespaceSelector"])
  );
}

function areCompatible(labels: Readonly<Record<string, string>>, others: JsonMap[string]): boolean {
  const pairs = isMap(others) ? entriesOf(others) : [];
  return pairs.every(([key, value]) => labels[key] === undefined || labels[key] === asText(value));
}
