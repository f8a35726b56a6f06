// What the advisor is allowed: its own API, and for each profile what it declares.

import type { Profile } from "@virt/advisor";
import { configKind } from "@virt/api";
import { hcoName } from "@virt/facts";
import { advisor } from "../operators.ts";
import { impactRights } from "./impact-rights.ts";
import { alwaysGranted, type OperatorRights, ownLease } from "./operator-rights.ts";
import { rightsFor } from "./profile-rights.ts";
import { follow, type Right, rights } from "./right.ts";

const { group, plural } = configKind;

/** What shows how a rollout goes on, beside its impact. */
const rolloutRights: readonly Right[] = [
  ...rights({ group: "machineconfiguration.openshift.io", resource: "machineconfignodes" }, ...follow),
  ...rights({ group: "kubevirt.io", resource: "virtualmachineinstancemigrations" }, ...follow),
  ...rights({ group: "machineconfiguration.openshift.io", resource: "kubeletconfigs" }, ...follow),
  ...rights({ group: "operator.openshift.io", resource: "kubedeschedulers", name: "cluster" }, ...follow),
  ...rights({ group: "hco.kubevirt.io", resource: "hyperconvergeds", name: hcoName }, ...follow),
];

type Declared = Pick<Profile, "name" | "isAdvertised" | "reads" | "targets">;

export function advisorRights(profiles: readonly Declared[]): OperatorRights {
  return {
    cluster: [
      ...alwaysGranted,
      ...rights({ group, resource: plural }, "get", ...follow),
      // Of any name: a config for a profile that only a newer release knows is reported.
      ...rights({ group, resource: `${plural}/status` }, "update"),
      ...rights({ group: "", resource: "namespaces" }, "get"), // a HyperConverged may be in any
      ...profiles.filter(({ isAdvertised }) => isAdvertised).flatMap(advertisedRights),
      ...profiles.flatMap(rightsFor),
      ...impactRights,
      ...rolloutRights,
      ...rights({ group: "config.openshift.io", resource: "infrastructures", name: "cluster" }, "get"),
    ],
    ownNamespace: ownLease(advisor),
  };
}

/** What only the examples need: a role of its own, beside the one that is installed by default. */
export function exampleRights(profiles: readonly Declared[]): readonly Right[] {
  return profiles.flatMap(rightsFor);
}

/** A config bears the name of its profile: the CRD demands it. */
function advertisedRights({ name }: Declared): readonly Right[] {
  return rights({ group, resource: plural, name, isPosted: true }, "create");
}
