// Exact fractions. Bounds are sums and quotients of thousands of parts and must not depend on their order.

/** A quotient with a positive denominator. Results are not reduced, because reduction would dominate the run time. */
export type Fraction = { readonly numerator: bigint; readonly denominator: bigint };

/** Returns the quotient in lowest terms. Truncates the arguments to integers. The denominator must not be 0. */
export function fraction(numerator: number | bigint, denominator: number | bigint = 1n): Fraction {
  return denominator === 1n
    ? { numerator: whole(numerator), denominator }
    : reduce(whole(numerator), whole(denominator));
}

function whole(value: number | bigint): bigint {
  return typeof value === "bigint" ? value : BigInt(Math.trunc(value));
}

function reduce(numerator: bigint, denominator: bigint): Fraction {
  let [left, right] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator];
  while (right !== 0n) [left, right] = [right, left % right];
  return quotient(numerator / left, denominator / left);
}

function quotient(numerator: bigint, denominator: bigint): Fraction {
  return denominator < 0n ? { numerator: -numerator, denominator: -denominator } : { numerator, denominator };
}

export function addFractions(left: Fraction, right: Fraction): Fraction {
  const { numerator, denominator } = left;
  if (denominator === right.denominator) return { numerator: numerator + right.numerator, denominator };
  return {
    numerator: numerator * right.denominator + right.numerator * denominator,
    denominator: denominator * right.denominator,
  };
}

export function multiplyFractions(left: Fraction, right: Fraction): Fraction {
  return { numerator: left.numerator * right.numerator, denominator: left.denominator * right.denominator };
}

/** Divides by a fraction that must not be 0. */
export function divideFractions(left: Fraction, right: Fraction): Fraction {
  return quotient(left.numerator * right.denominator, left.denominator * right.numerator);
}

export function compareFractions(left: Fraction, right: Fraction): number {
  const [one, other] = [left.numerator * right.denominator, right.numerator * left.denominator];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

export function greatestFraction(first: Fraction, ...others: readonly Fraction[]): Fraction {
  return others.reduce((most, each) => (compareFractions(each, most) > 0 ? each : most), first);
}

export function lesserFraction(left: Fraction, right: Fraction): Fraction {
  return compareFractions(left, right) < 0 ? left : right;
}

export function roundUp({ numerator, denominator }: Fraction): number {
  const down = numerator / denominator;
  return Number(numerator % denominator > 0n ? down + 1n : down);
}
