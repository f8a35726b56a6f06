// What the advisor is allowed: its own API, and for each profile what it declares.

import type { Profile } from "@virt/advisor";
import { configKind } from "@virt/api";
import { advisor } from "../operators.ts";
import { alwaysGranted, type OperatorRights, ownLease } from "./operator-rights.ts";
import { rightsFor } from "./profile-rights.ts";
import { follow, type Right, rights } from "./right.ts";

const { group, plural } = configKind;

type Declared = Pick<Profile, "name" | "isAdvertised" | "reads" | "targets">;

export function advisorRights(profiles: readonly Declared[]): OperatorRights {
  return {
    cluster: [
      ...alwaysGranted,
      ...rights({ group, resource: plural }, "get", ...follow),
      // Of any name: a config for a profile that only a newer release knows is told so.
      ...rights({ group, resource: `${plural}/status` }, "update"),
      ...rights({ group: "", resource: "namespaces" }, "get"), // a HyperConverged may be in any
      ...profiles.filter(({ isAdvertised }) => isAdvertised).flatMap(advertisedRights),
      ...profiles.flatMap(rightsFor),
    ],
    ownNamespace: ownLease(advisor),
  };
}

/** A config bears the name of its profile: the CRD demands it. */
function advertisedRights({ name }: Declared): readonly Right[] {
  return rights({ group, resource: plural, name, isPosted: true }, "create");
}
