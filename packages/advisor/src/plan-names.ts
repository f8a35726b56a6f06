/** The minimum number of digits in a name. All messages show this number of digits. */
const shortHashDigits = 12;

/** Returns the digits that identify a plan in messages. */
export function shortHash(planHash = ""): string {
  return planHash.slice(0, shortHashDigits);
}

/** `malformed`: not 12–64 lower-case hexadecimal digits. */
export type NamedPlan =
  | { readonly kind: "found"; readonly planHash: string }
  | { readonly kind: "unknown" | "ambiguous" | "malformed" };

const wholeHashDigits = 64;

/** Finds the plan by its hash or by the first digits of the hash. Candidates must be complete hashes. */
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
