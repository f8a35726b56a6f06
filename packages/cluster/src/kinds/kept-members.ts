// Parts of projections. Lists may be long, so informers keep only the members that we read.

import type { InformerSpec, ProjectionMember } from "@virt/objects";

/** Keeps the identity, the deletion and these members. */
export function keepMembers(...kept: readonly ProjectionMember[]): InformerSpec["projection"] {
  return {
    keep: "members",
    members: [["metadata", "name"], ["metadata", "namespace"], ["metadata", "deletionTimestamp"], ...kept],
  };
}

/** Keeps these parts of the conditions of these types, and no other conditions. */
export function keepConditions(
  among: readonly string[],
  parts: readonly string[] = ["type", "status", "reason"],
): readonly ProjectionMember[] {
  return parts.map((part) => ["status", "conditions", { among, key: "type" }, part]);
}

export function keepOwners(...among: readonly string[]): readonly ProjectionMember[] {
  return ["kind", "name", "controller"].map((part) => ["metadata", "ownerReferences", { among, key: "kind" }, part]);
}

/** Limits strings that namespace users write. Real values take a few dozen bytes, but the API server has no limit. */
const shortText = { atMost: 1_000 };
export function shortTexts(...paths: readonly ProjectionMember[]): readonly ProjectionMember[] {
  return paths.map((path) => [...path, shortText]);
}
