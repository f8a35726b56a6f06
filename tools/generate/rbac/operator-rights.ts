// Permissions that both operators share, and the manifests of their roles.

import { autopilotName } from "@virt/api";
import { type KubeObject, writeYaml } from "@virt/objects";
import type { OperatorNames } from "../operators.ts";
import { follow, type Right, rights, rulesOf } from "./right.ts";

export type OperatorRights = {
  readonly cluster: readonly Right[];
  readonly ownNamespace: readonly Right[];
};

/** Reviews authorize clients that request metrics. The Deployment shows whether virt-platform-autopilot is installed. */
export const alwaysGranted: readonly Right[] = [
  ...rights({ group: "apps", resource: "deployments", name: autopilotName }, "get", ...follow),
  ...rights({ group: "apiextensions.k8s.io", resource: "customresourcedefinitions" }, "get", ...follow),
  ...rights({ group: "events.k8s.io", resource: "events", namespace: "*" }, "create", "patch"),
  ...rights({ group: "authentication.k8s.io", resource: "tokenreviews" }, "create"),
  ...rights({ group: "authorization.k8s.io", resource: "subjectaccessreviews" }, "create"),
];

/** Grants reads by name, because the operator verifies only its own policies. */
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

/** Returns the manifest of an operator's roles. `policies` are the permissions to read its own admission policies. */
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

export function optionalRoleManifest(name: string, granted: readonly Right[]): string {
  return `${source}${writeYaml(clusterRoleOf(name, granted))}`;
}

const apiVersion = "rbac.authorization.k8s.io/v1";
const source = "# Generated from the reads and targets of the catalog (make generate). Change the catalog instead.\n";

function clusterRoleOf(name: string, granted: readonly Right[]): KubeObject {
  return { apiVersion, kind: "ClusterRole", metadata: { name }, rules: rulesOf(granted) };
}
