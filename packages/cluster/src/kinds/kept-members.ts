// Parts of projections. Lists may be long, so their informers keep only the members that are read.

import type { InformerSpec, ProjectionMember } from "@virt/objects";

/** Keeps the identity, the deletion and these members. */
export function keepMembers(...kept: readonly ProjectionMember[]): InformerSpec["projection"] {
  return {
    keep: "members",
    members: [["metadata", "name"], ["metadata", "namespace"], ["metadata", "deletionTimestamp"], ...kept],
  };
}

/** Keeps the parts of the conditions of these types. */
export function keepConditions(
  among: readonly string[],
  parts: readonly string[] = ["type", "status", "reason"],
): readonly ProjectionMember[] {
  return parts.map((part) => ["status", "conditions", { among, key: "type" }, part]);
}

/** Keeps owners of these kinds. */
export function keepOwners(...among: readonly string[]): readonly ProjectionMember[] {
  return ["kind", "name", "controller"].map((part) => ["metadata", "ownerReferences", { among, key: "kind" }, part]);
}

/** Bounds texts that namespace users write. Real values take a few dozen bytes, but the API server has no limit. */
const shortText = { atMost: 1_000 };
export function shortTexts(...paths: readonly ProjectionMember[]): readonly ProjectionMember[] {
  return paths.map((path) => [...path, shortText]);
}
