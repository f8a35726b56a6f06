// The advisor's permissions: its own API and the declarations of each profile.

import type { Profile } from "@virt/advisor";
import { configKind } from "@virt/api";
import { hcoName } from "@virt/cluster";
import { advisor } from "../operators.ts";
import { impactRights } from "./impact-rights.ts";
import { alwaysGranted, type OperatorRights, ownLease } from "./operator-rights.ts";
import { rightsFor } from "./profile-rights.ts";
import { follow, type Right, rights } from "./right.ts";

const { group, plural } = configKind;

/** Reads that show the progress of a rollout. */
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
      // Without a name, because the advisor also reports on configs whose profile only a newer release knows.
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

export function exampleRights(profiles: readonly Declared[]): readonly Right[] {
  return profiles.flatMap(rightsFor);
}

/**
 * Allows only the names of profiles, because the CRD requires a config to have its profile's name. The patch corrects the
 * documentation link.
 */
function advertisedRights({ name }: Declared): readonly Right[] {
  return rights({ group, resource: plural, name, isPosted: true }, "create", "patch");
}
