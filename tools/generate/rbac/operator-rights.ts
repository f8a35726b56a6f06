// What both operators are allowed, and how a role says it.

import { type KubeObject, writeYaml } from "@virt/engine";
import type { OperatorNames } from "../operators.ts";
import { follow, type Right, rights, rulesOf } from "./right.ts";

export type OperatorRights = {
  readonly cluster: readonly Right[];
  /** Granted in the operator's own namespace only. */
  readonly ownNamespace: readonly Right[];
};

/** CRDs are followed for everybody; reviews are for those who ask for metrics. */
export const alwaysGranted: readonly Right[] = [
  ...rights({ group: "apiextensions.k8s.io", resource: "customresourcedefinitions" }, "get", ...follow),
  ...rights({ group: "events.k8s.io", resource: "events", namespace: "*" }, "create", "patch"),
  ...rights({ group: "authentication.k8s.io", resource: "tokenreviews" }, "create"),
  ...rights({ group: "authorization.k8s.io", resource: "subjectaccessreviews" }, "create"),
];

/** By name: whether they are in force is the operator's business, what else there is is not. */
export function ownPolicies(policies: readonly { readonly name: string }[]): readonly Right[] {
  const group = "admissionregistration.k8s.io";
  return ["validatingadmissionpolicies", "validatingadmissionpolicybindings"].flatMap((resource) =>
    policies.flatMap(({ name }) => rights({ group, resource, name }, "get")),
  );
}

export function ownLease({ lease, namespace }: OperatorNames): readonly Right[] {
  const own = { group: "coordination.k8s.io", resource: "leases", name: lease, namespace, isPosted: true };
  return rights(own, "get", "create", "update");
}

/** The roles of an operator, as its manifest. `policies`: the rights to read its own admission policies. */
export function roleManifest(
  { name, namespace }: OperatorNames,
  granted: OperatorRights,
  policies: readonly Right[],
): string {
  const clusterRole = clusterRoleOf(`${name}-manager-role`, [...granted.cluster, ...policies]);
  const role = {
    apiVersion,
    kind: "Role",
    metadata: { name: `${name}-leader-election-role`, namespace },
    rules: rulesOf(granted.ownNamespace),
  };
  return [source, writeYaml(clusterRole), "---\n", writeYaml(role)].join("");
}

/** The rights of a part of the product that is not installed by default. */
export function optionalRoleManifest(name: string, granted: readonly Right[]): string {
  return `${source}${writeYaml(clusterRoleOf(name, granted))}`;
}

const apiVersion = "rbac.authorization.k8s.io/v1";
const source = "# Generated from the reads and targets of the catalog (make generate): change those.\n";

function clusterRoleOf(name: string, granted: readonly Right[]): KubeObject {
  return { apiVersion, kind: "ClusterRole", metadata: { name }, rules: rulesOf(granted) };
}
