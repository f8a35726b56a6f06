// Derives the operator's permissions for a profile from its reads and targets.

import type { Profile, ProfileRead, ProfileTarget } from "@virt/advisor";
import { advisor, namespaceOf } from "../operators.ts";
import { kindOf } from "./asset-rights.ts";
import { follow, type Right, rights, type Subject } from "./right.ts";

const machineConfigs = { group: "machineconfiguration.openshift.io", resource: "machineconfigs" };
const pools = { group: "machineconfiguration.openshift.io", resource: "machineconfigpools" };
const hco = { group: "hco.kubevirt.io", resource: "hyperconvergeds", name: "kubevirt-hyperconverged" };

/** The names of rendered MachineConfigs are unpredictable. */
const rollouts = [...rights(pools, ...follow), ...rights(machineConfigs, "get")];

export function rightsFor({ reads, targets }: Pick<Profile, "reads" | "targets">): readonly Right[] {
  return [...Object.values(reads).flatMap(rightsToRead), ...targets.flatMap(rightsToWrite)];
}

function rightsToRead(read: ProfileRead): readonly Right[] {
  switch (read.read) {
    case "hco":
      return rights(hco, ...follow);
    case "object":
      return rights({ ...kindOf(read.ref), name: read.ref.name }, ...follow);
    case "objects":
      return rights(kindOf(read), ...follow);
    case "schema":
    case "namespace":
    case "target":
      return []; // CRDs and namespaces are granted for every profile, and targets by rightsToWrite
    case "pools":
      return rights(pools, ...follow);
    case "kernel":
      return rollouts;
    case "vm-nodes":
      return rights({ group: "", resource: "nodes" }, ...follow);
    case "nodes":
      return rights({ group: "", resource: "nodes" }, "list");
    case "lookup":
      // Namespaces are granted for every profile.
      return read.ref.kind === "Namespace" ? [] : rights({ ...kindOf(read.ref), name: read.ref.name }, "get");
    case "beside-hco":
      return rights({ ...kindOf(read.ref), name: read.ref.name }, "get");
  }
}

// Server-side apply has the name of the object in its path, so even `create` is granted by name.
function rightsToWrite(target: ProfileTarget): readonly Right[] {
  const { kind, isDeleted = false, isNeverCreated = false } = target;
  const making = [...(isNeverCreated ? [] : (["create"] as const)), ...(isDeleted ? (["delete"] as const) : [])];
  const written = subjectsOf(target).flatMap((subject) => rights(subject, "get", ...follow, "patch", ...making));
  return kind === "MachineConfig" ? [...written, ...rollouts] : written;
}

function subjectsOf({ group, plural, names, namespaces }: ProfileTarget): readonly Subject[] {
  const subjects = names.map((name) => ({ group, resource: plural, name }));
  if (namespaces === undefined) return subjects;
  return namespaces.flatMap((namespace) =>
    subjects.map((subject) => ({ ...subject, namespace: namespaceOf(namespace, advisor) })),
  );
}
