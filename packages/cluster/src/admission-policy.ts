// Detects admission policies that differ from those of the release.

import { canonicalJson, type Json, type KubeObject, sha256 } from "@virt/objects";

/**
 * Returns a hash of a policy's spec that does not depend on the operator's namespace. Our policies set all fields with
 * defaults, so a stored spec has the same hash as the applied one.
 */
export function hashPolicySpec(spec: Json, operatorNamespace: string): string {
  return sha256(canonicalJson(spec).replaceAll(operatorNamespace, "$operator"));
}

/** Returns the problem as a clause for messages, or undefined if policy and binding match the release. */
export function faultOfPolicy(
  live: KubeObject | undefined,
  expectedHash: string,
  operatorNamespace: string,
): string | undefined {
  if (live === undefined) return "is missing";
  const hash = hashPolicySpec(live["spec"] ?? null, operatorNamespace);
  return hash === expectedHash ? undefined : "does not match this release";
}
