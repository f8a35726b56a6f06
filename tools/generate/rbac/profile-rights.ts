// What the operator must be allowed for a profile, from the reads and targets that it declares.

import type { Profile, Read, Target } from "@virt/advisor";
import type { Ref } from "@virt/api";
import { follow, type Right, rights } from "./right.ts";

const machineConfigs = { group: "machineconfiguration.openshift.io", resource: "machineconfigs" };
const pools = { group: "machineconfiguration.openshift.io", resource: "machineconfigpools" };
const hco = { group: "hco.kubevirt.io", resource: "hyperconvergeds", name: "kubevirt-hyperconverged" };

/** Rendered configurations have names that nobody knows beforehand. */
const rollouts = [...rights(pools, ...follow), ...rights(machineConfigs, "get")];

export function rightsFor({ reads, targets }: Pick<Profile, "reads" | "targets">): readonly Right[] {
  return [...Object.values(reads).flatMap(rightsToRead), ...targets.flatMap(rightsToWrite)];
}

// A list or watch of one name is authorised for that name: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
function rightsToRead(read: Read): readonly Right[] {
  switch (read.read) {
    case "hco":
      return rights(hco, ...follow);
    case "object":
      return rights(resourceOf(read.ref), ...follow);
    case "schema":
      return []; // CRDs are followed for every profile
    case "pools":
      return rights(pools, ...follow);
    case "kernel":
      return rollouts;
    case "nodes":
      return rights({ group: "", resource: "nodes" }, "list");
    case "beside-hco":
      return rights(resourceOf(read.ref), "get");
    case "namespace":
      return rights({ group: "", resource: "namespaces", name: read.name }, "get");
  }
}

// Server-side apply creates by name, so that even this is granted for the names alone.
function rightsToWrite({ group, kind, plural, names, isDeleted = false }: Target): readonly Right[] {
  const written = names.flatMap((name) => {
    const target = { group, resource: plural, name };
    return rights(target, ...follow, "create", "patch", ...(isDeleted ? (["delete"] as const) : []));
  });
  return kind === "MachineConfig" ? [...written, ...rollouts] : written;
}

/** Regular for every kind that we read; a test asks an API server. */
function resourceOf({ apiVersion, kind, name }: Ref) {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return { group, resource: `${kind.toLowerCase()}s`, name };
}
