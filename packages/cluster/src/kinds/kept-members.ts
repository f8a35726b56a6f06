// Building blocks for projections, so that informers keep only the fields that the operator reads.

import type { InformerSpec, ProjectionMember } from "@virt/objects";

/** Keeps the name, namespace, uid, deletion timestamp and these fields. */
export function keepMembers(...kept: readonly ProjectionMember[]): InformerSpec["projection"] {
  return {
    keep: "members",
    members: [["metadata", "name"], ["metadata", "namespace"], ["metadata", "deletionTimestamp"], ...kept],
  };
}

/** Keeps only conditions of these types, and only these fields in them. */
export function keepConditions(
  among: readonly string[],
  parts: readonly string[] = ["type", "status", "reason"],
): readonly ProjectionMember[] {
  return parts.map((part) => ["status", "conditions", { among, key: "type" }, part]);
}

export function keepOwners(...among: readonly string[]): readonly ProjectionMember[] {
  return ["kind", "name", "controller"].map((part) => ["metadata", "ownerReferences", { among, key: "kind" }, part]);
}

/** Truncates strings that namespace users can write. Real values take a few dozen bytes, but the API server sets no limit. */
const shortText = { atMost: 1_000 };
export function shortTexts(...paths: readonly ProjectionMember[]): readonly ProjectionMember[] {
  return paths.map((path) => [...path, shortText]);
}
