// Detects admission policies that differ from those of the release.

import { canonicalJson, type Json, type KubeObject, sha256 } from "@virt/objects";

/**
 * Returns a hash that is independent of the operator's namespace. Our policies set every field that the API server
 * defaults, so a stored spec has the hash of the applied one.
 */
export function hashPolicySpec(spec: Json, operatorNamespace: string): string {
  return sha256(canonicalJson(spec).replaceAll(operatorNamespace, "$operator"));
}

/** Returns a clause for messages. Undefined if policy and binding match the release. */
export function faultOfPolicy(
  live: KubeObject | undefined,
  expectedHash: string,
  operatorNamespace: string,
): string | undefined {
  if (live === undefined) return "is missing";
  const hash = hashPolicySpec(live["spec"] ?? null, operatorNamespace);
  return hash === expectedHash ? undefined : "does not match this release";
}
