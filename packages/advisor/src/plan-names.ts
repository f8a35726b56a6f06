/** The minimum number of hash digits that identify a plan. All messages show this many. */
const shortHashDigits = 12;

/** Returns the digits that identify a plan in messages. */
export function shortHash(planHash = ""): string {
  return planHash.slice(0, shortHashDigits);
}

/** The plan that a hash prefix identifies. `malformed` means that it is not 12–64 lower-case hexadecimal digits. */
export type NamedPlan =
  | { readonly kind: "found"; readonly planHash: string }
  | { readonly kind: "unknown" | "ambiguous" | "malformed" };

const wholeHashDigits = 64;

/** Finds a plan by its hash or the first digits of its hash. `planHashes` must be complete hashes. */
export function findNamedPlan(named: string, planHashes: readonly (string | undefined)[]): NamedPlan {
  const isHash = /^[0-9a-f]+$/.test(named) && named.length >= shortHashDigits && named.length <= wholeHashDigits;
  if (!isHash) return { kind: "malformed" };
  const [planHash, other] = new Set(
    planHashes.filter((hash) => hash?.length === wholeHashDigits && hash.startsWith(named)),
  );
  if (planHash === undefined) return { kind: "unknown" };
  return other === undefined ? { kind: "found", planHash } : { kind: "ambiguous" };
}

/** Reports whether `named` identifies this plan and none of `others`. */
export function isPlanNamed(
  named: string | undefined,
  planHash: string,
  others: readonly (string | undefined)[] = [],
): boolean {
  if (named === undefined) return false;
  const plan = findNamedPlan(named, [planHash, ...others]);
  return plan.kind === "found" && plan.planHash === planHash;
}
