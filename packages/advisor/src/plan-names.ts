// How people and texts name a plan: by its hash or by the first digits of it.

/** The fewest digits that name a plan. All texts print this many. */
const shortHashDigits = 12;

/** Returns the digits by which texts name a plan. They are accepted wherever a hash is. */
export function shortHash(planHash = ""): string {
  return planHash.slice(0, shortHashDigits);
}

/** `malformed`: fewer than 12 digits, more than 64, or other characters than lower-case hexadecimal digits. */
export type NamedPlan =
  | { readonly kind: "found"; readonly planHash: string }
  | { readonly kind: "unknown" | "ambiguous" | "malformed" };

const wholeHashDigits = 64;

/** Finds the plan that a hash, or its first 12 or more digits, names among these plans. Only whole hashes stand for a plan. */
export function findNamedPlan(named: string, planHashes: readonly (string | undefined)[]): NamedPlan {
  const isHash = /^[0-9a-f]+$/.test(named) && named.length >= shortHashDigits && named.length <= wholeHashDigits;
  if (!isHash) return { kind: "malformed" };
  const [planHash, other] = new Set(
    planHashes.filter((hash) => hash?.length === wholeHashDigits && hash.startsWith(named)),
  );
  if (planHash === undefined) return { kind: "unknown" };
  return other === undefined ? { kind: "found", planHash } : { kind: "ambiguous" };
}

/** Reports whether `named` is the hash of this plan, or begins it and no plan of `others`. */
export function isPlanNamed(
  named: string | undefined,
  planHash: string,
  others: readonly (string | undefined)[] = [],
): boolean {
  if (named === undefined) return false;
  const plan = findNamedPlan(named, [planHash, ...others]);
  return plan.kind === "found" && plan.planHash === planHash;
}
