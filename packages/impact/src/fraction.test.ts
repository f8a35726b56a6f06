import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addFractions,
  compareFractions,
  divideFractions,
  type Fraction,
  fraction,
  greatestFraction,
  lesserFraction,
  multiplyFractions,
  roundUp,
} from "./fraction.ts";

const whole = fc.integer({ min: -1000, max: 1000 });
const divisor = fc.integer({ min: -50, max: 50 }).filter((value) => value !== 0);
const any = fc.tuple(whole, divisor);
const isEqual = (left: Fraction, right: Fraction) =>
  left.denominator > 0n && right.denominator > 0n && compareFractions(left, right) === 0;

test("sums, products and quotients are those of school", () => {
  const law = fc.property(any, any, ([a, b], [c, d]) => {
    expect(isEqual(addFractions(fraction(a, b), fraction(c, d)), fraction(a * d + c * b, b * d))).toBe(true);
    expect(isEqual(multiplyFractions(fraction(a, b), fraction(c, d)), fraction(a * c, b * d))).toBe(true);
    expect(isEqual(divideFractions(fraction(a, b), fraction(d, b)), fraction(a, d))).toBe(true);
  });
  fc.assert(law);
});

test("fractions compare as the numbers that they are", () => {
  const law = fc.property(any, any, ([a, b], [c, d]) => {
    const [left, right] = [fraction(a, b), fraction(c, d)];
    const order = Math.sign(a / b - c / d) || 0; // -0 is 0
    expect(Math.sign(compareFractions(left, right))).toBe(order);
    expect(isEqual(greatestFraction(left, right), order < 0 ? right : left)).toBe(true);
    expect(isEqual(lesserFraction(left, right), order < 0 ? left : right)).toBe(true);
  });
  fc.assert(law);
});

test("rounding up is the next whole number that is not below", () => {
  const law = fc.property(any, ([a, b]) => {
    expect(roundUp(fraction(a, b)) - Math.ceil(a / b)).toBe(0);
  });
  fc.assert(law);
});

test("a sum of many parts does not depend on their order, where a sum of floating points does", () => {
  const tenths = Array.from({ length: 10 }, () => fraction(1, 10));
  expect(isEqual(tenths.reduce(addFractions, fraction(0)), fraction(1))).toBe(true);
});
