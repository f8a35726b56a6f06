// Whether an admission policy in a cluster is the one that we ship.

import type { KubeObject } from "./cluster.ts";
import { sha256 } from "./encoding/bytes.ts";
import { canonicalJson, type Json } from "./json/json.ts";

/**
 * The hash of the spec of a ValidatingAdmissionPolicy or of its binding, the same in whatever namespace the operator runs:
 * policies name its ServiceAccount. Ours write out every field that the API server would default, so that the spec that is
 * read back has the hash of the one that was applied.
 */
export function hashPolicySpec(spec: Json, operatorNamespace: string): string {
  return sha256(canonicalJson(spec).replaceAll(operatorNamespace, "$operator"));
}

/** What is wrong with a policy or a binding in a cluster, as the end of a sentence; undefined: it is the one that we ship. */
export function faultOfPolicy(
  live: KubeObject | undefined,
  expectedHash: string,
  operatorNamespace: string,
): string | undefined {
  if (live === undefined) return "is missing";
  const hash = hashPolicySpec(live["spec"] ?? null, operatorNamespace);
  return hash === expectedHash ? undefined : "is not the one of this release";
}
