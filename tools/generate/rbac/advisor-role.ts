// What the advisor is allowed: its own API, and for each profile what it declares.

import type { Profile } from "@virt/advisor";
import { configKind } from "@virt/api";
import { writeYaml } from "@virt/engine";
import { rightsFor } from "./profile-rights.ts";
import { follow, rights, rulesOf } from "./right.ts";

const { group, plural } = configKind;
const lease = { group: "coordination.k8s.io", resource: "leases", name: "8f83cc6e.kubevirt.io" };

const always = [
  ...rights({ group, resource: plural }, ...follow, "create"),
  ...rights({ group, resource: `${plural}/status` }, "get", "update", "patch"),
  ...rights({ group: "apiextensions.k8s.io", resource: "customresourcedefinitions" }, ...follow),
  ...rights({ group: "", resource: "namespaces" }, "get"),
  ...rights({ group: "events.k8s.io", resource: "events" }, "create", "patch"),
  ...rights({ group: "authentication.k8s.io", resource: "tokenreviews" }, "create"),
  ...rights({ group: "authorization.k8s.io", resource: "subjectaccessreviews" }, "create"),
];

// A creation by POST is authorised without a name.
const ownNamespace = [
  ...rights({ group: lease.group, resource: lease.resource }, "create"),
  ...rights(lease, "get", "update", "patch"),
];

export function advisorRole(profiles: readonly Pick<Profile, "reads" | "targets">[]): string {
  const clusterRole = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "virt-advisor-operator-manager-role" },
    rules: rulesOf([...always, ...profiles.flatMap(rightsFor)]),
  };
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "virt-advisor-operator-leader-election-role", namespace: "virt-advisor-operator-system" },
    rules: rulesOf(ownNamespace),
  };
  return [
    "# Generated from the reads and targets of catalog/profiles (make generate): change those.\n",
    writeYaml(clusterRole),
    "---\n",
    writeYaml(role),
  ].join("");
}
