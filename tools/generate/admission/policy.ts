import type { Json } from "@virt/api";
import { writeYaml } from "@virt/objects";

export type Policy = {
  /** The manifest's header comment. */
  readonly promise: string;
  readonly name: string;
  readonly resourceRules: readonly ResourceRule[];
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly Validation[];
};

export type ResourceRule = {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly operations: readonly string[];
};

export type Validation = { readonly expression: string; readonly messageExpression: string };

const source = "# Generated from the catalog (make generate). Change the catalog instead.\n";
const onFailure = "# Rejects requests that it cannot evaluate. Its scope is too narrow to affect other clients.\n";
const apiVersion = "admissionregistration.k8s.io/v1";

/** Sets every default of the API server, so that the stored spec equals the applied one. */
export function policySpecs({ name, resourceRules, matchConditions, ...rest }: Policy) {
  return {
    policy: {
      failurePolicy: "Fail",
      matchConstraints: {
        matchPolicy: "Equivalent",
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: resourceRules.map((rule) => ({ ...rule, scope: "*" })),
      },
      ...(matchConditions && { matchConditions }),
      ...(rest.variables.length > 0 && { variables: rest.variables }),
      validations: rest.validations.map((validation) => ({ ...validation, reason: "Forbidden" })),
    } satisfies Json,
    binding: { policyName: name, validationActions: ["Deny"] } satisfies Json,
  };
}

export function policyManifest(policy: Policy): string {
  const metadata = { name: policy.name };
  const specs = policySpecs(policy);
  const objects = [
    { apiVersion, kind: "ValidatingAdmissionPolicy", metadata, spec: specs.policy },
    { apiVersion, kind: "ValidatingAdmissionPolicyBinding", metadata, spec: specs.binding },
  ];
  return `${source}# ${policy.promise}\n${onFailure}${objects.map((object) => writeYaml(object)).join("---\n")}`;
}

export function celList(texts: readonly string[]): string {
  return `[\n${texts.map((text) => `  ${celText(text)}`).join(",\n")}\n]`;
}

export function celText(text: string): string {
  return `'${text}'`;
}
