// Exact fractions: durations are sums and quotients of thousands of parts, and a bound must not depend on their order.

/** A number as a quotient; the denominator is positive. Results are not in lowest terms: to find these is most of the work. */
export type Fraction = { readonly numerator: bigint; readonly denominator: bigint };

/** The quotient of two whole numbers, in lowest terms; what is not whole is cut. The divisor must not be 0. */
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

/** Left plus right. */
export function addFractions(left: Fraction, right: Fraction): Fraction {
  const { numerator, denominator } = left;
  if (denominator === right.denominator) return { numerator: numerator + right.numerator, denominator };
  return {
    numerator: numerator * right.denominator + right.numerator * denominator,
    denominator: denominator * right.denominator,
  };
}

/** Left times right. */
export function multiplyFractions(left: Fraction, right: Fraction): Fraction {
  return { numerator: left.numerator * right.numerator, denominator: left.denominator * right.denominator };
}

/** Left by right, which must not be 0. */
export function divideFractions(left: Fraction, right: Fraction): Fraction {
  return quotient(left.numerator * right.denominator, left.denominator * right.numerator);
}

/** Negative, 0 or positive, for sorting. */
export function compareFractions(left: Fraction, right: Fraction): number {
  const [one, other] = [left.numerator * right.denominator, right.numerator * left.denominator];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The largest of them. */
export function greatestFraction(first: Fraction, ...others: readonly Fraction[]): Fraction {
  return others.reduce((most, each) => (compareFractions(each, most) > 0 ? each : most), first);
}

/** The smaller of the two. */
export function lesserFraction(left: Fraction, right: Fraction): Fraction {
  return compareFractions(left, right) < 0 ? left : right;
}

/** The next whole number that is not below. */
export function roundUp({ numerator, denominator }: Fraction): number {
  const down = numerator / denominator;
  return Number(numerator % denominator > 0n ? down + 1n : down);
}
