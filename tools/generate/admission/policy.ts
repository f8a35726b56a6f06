// A ValidatingAdmissionPolicy with its binding, as a manifest.

import type { Json } from "@virt/api";
import { writeYaml } from "@virt/engine";

export type Policy = {
  /** What it keeps, for whoever reads the manifest. */
  readonly promise: string;
  readonly name: string;
  readonly resourceRules: readonly Json[];
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** Later ones may use earlier ones. */
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly Validation[];
};

export type Validation = { readonly expression: string; readonly messageExpression: string };

const source = "# Generated from the catalog (make generate): change that.\n";
const onFailure = "# What it cannot judge it refuses: it is about so little that it stops nobody else's work.\n";
const apiVersion = "admissionregistration.k8s.io/v1";

export function policyManifest({ promise, name, resourceRules, matchConditions, ...rest }: Policy): string {
  const policy = {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: { resourceRules },
      ...(matchConditions && { matchConditions }),
      variables: rest.variables,
      validations: rest.validations.map((validation) => ({ ...validation, reason: "Forbidden" })),
    },
  };
  const binding = {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  };
  return [source, `# ${promise}\n${onFailure}`, writeYaml(policy), "---\n", writeYaml(binding)].join("");
}

/** A list of texts, one in each line. */
export function celList(texts: readonly string[]): string {
  return `[\n${texts.map((text) => `  ${celText(text)}`).join(",\n")}\n]`;
}

export function celText(text: string): string {
  return `'${text}'`;
}
