// What the platform controller is allowed: for each asset what it declares, and little else.

import { configKind } from "@virt/api";
import { writeYaml } from "@virt/engine";
import type { Asset } from "@virt/platform";
import { rightsForAsset } from "./asset-rights.ts";
import { follow, rights, rulesOf } from "./right.ts";

const hco = { group: "hco.kubevirt.io", resource: "hyperconvergeds", name: "kubevirt-hyperconverged" };
const lease = { group: "coordination.k8s.io", resource: "leases", name: "virt-platform-operator.kubevirt.io" };
const report = { group: "", resource: "configmaps", name: "virt-platform-operator-report" };

const always = [
  ...rights(hco, ...follow, "patch"),
  ...rights({ group: "apiextensions.k8s.io", resource: "customresourcedefinitions" }, ...follow),
  ...rights({ group: configKind.group, resource: configKind.plural }, ...follow),
  ...rights({ group: "", resource: "nodes" }, ...follow),
  ...rights({ group: "config.openshift.io", resource: "infrastructures", name: "cluster" }, ...follow),
  ...rights({ group: "config.openshift.io", resource: "schedulers", name: "cluster" }, ...follow),
  ...rights({ group: "events.k8s.io", resource: "events" }, "create", "patch"),
  ...rights({ group: "authentication.k8s.io", resource: "tokenreviews" }, "create"),
  ...rights({ group: "authorization.k8s.io", resource: "subjectaccessreviews" }, "create"),
];

const ownNamespace = [
  ...rights({ group: lease.group, resource: lease.resource }, "create"),
  ...rights(lease, "get", "update", "patch"),
  ...rights(report, "create", "patch"),
];

export function platformRole(assets: readonly Asset[]): string {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const clusterRole = {
    apiVersion,
    kind: "ClusterRole",
    metadata: { name: "virt-platform-operator-manager-role" },
    rules: rulesOf([...always, ...assets.flatMap(rightsForAsset)]),
  };
  const role = {
    apiVersion,
    kind: "Role",
    metadata: { name: "virt-platform-operator-leader-election-role", namespace: "virt-platform-operator-system" },
    rules: rulesOf(ownNamespace),
  };
  return [
    "# Generated from the reads and targets of catalog/assets (make generate): change those.\n",
    writeYaml(clusterRole),
    "---\n",
    writeYaml(role),
  ].join("");
}
