import fc from "fast-check";
import { expect, test } from "vitest";
import { exceedsBytes, matchesSelector, overLimit } from "./informer-spec.ts";
import type { Json } from "./json/json.ts";

const labels = { role: "worker", zone: "a" };
const expression = (key: string, operator: string, ...values: readonly string[]): Json => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 ? { values } : {}) }],
});

const cases: readonly { reason: string; selector: Json | undefined; isMatch: boolean }[] = [
  { reason: "no selector matches nothing", selector: undefined, isMatch: false },
  { reason: "an empty selector matches everything", selector: {}, isMatch: true },
  { reason: "all labels must match", selector: { matchLabels: { role: "worker", zone: "a" } }, isMatch: true },
  { reason: "one other label is too much", selector: { matchLabels: { role: "worker", zone: "b" } }, isMatch: false },
  { reason: "In matches one of its values", selector: expression("role", "In", "infra", "worker"), isMatch: true },
  { reason: "In does not match an absent label", selector: expression("x", "In", "worker"), isMatch: false },
  { reason: "NotIn matches another value", selector: expression("role", "NotIn", "infra"), isMatch: true },
  { reason: "NotIn matches an absent label", selector: expression("x", "NotIn", "infra"), isMatch: true },
  { reason: "NotIn without values is invalid", selector: expression("x", "NotIn"), isMatch: false },
  { reason: "Exists matches any value", selector: expression("role", "Exists"), isMatch: true },
  { reason: "Exists with values is invalid", selector: expression("role", "Exists", "worker"), isMatch: false },
  { reason: "DoesNotExist matches an absent label", selector: expression("x", "DoesNotExist"), isMatch: true },
  { reason: "an unknown operator matches nothing", selector: expression("role", "Gt", "1"), isMatch: false },
  { reason: "an inherited name is not a label", selector: expression("constructor", "Exists"), isMatch: false },
  {
    reason: "labels and expressions must both match",
    selector: { matchLabels: { role: "worker" }, ...(expression("zone", "In", "b") as object) },
    isMatch: false,
  },
];

test.each(cases)("$reason", ({ selector, isMatch }) => {
  expect(matchesSelector(selector, labels)).toBe(isMatch);
});

const key = fc.constantFrom("a", "b");
const value = fc.constantFrom("x", "y");
const anyLabels = fc.dictionary(key, value);

test("opposite operators never agree, and matchLabels equals In", () => {
  const values = fc.uniqueArray(value, { minLength: 1, maxLength: 2 });
  const law = fc.property(anyLabels, key, values, (labels, key, values) => {
    const is = (operator: string, ...given: readonly string[]) =>
      matchesSelector(expression(key, operator, ...given), labels);
    const [first = ""] = values;
    const isOne = matchesSelector({ matchLabels: { [key]: first } }, labels) === is("In", first);
    return isOne && is("In", ...values) !== is("NotIn", ...values) && is("Exists") !== is("DoesNotExist");
  });
  fc.assert(law);
});

test("a value exceeds a limit by its texts, keys or structure", () => {
  expect(exceedsBytes({ key: ["a", "b"] }, 40)).toBe(false);
  expect(exceedsBytes({ key: ["a", "b".repeat(40)] }, 40)).toBe(true);
  expect(exceedsBytes({ ["k".repeat(50)]: 1 }, 40)).toBe(true);
  expect(
    exceedsBytes(
      Array.from({ length: 100 }, () => null),
      40,
    ),
  ).toBe(true);
  expect([exceedsBytes(undefined, 40), exceedsBytes(overLimit, 40)]).toEqual([false, true]);
});
