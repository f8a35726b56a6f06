import { asList, asText, entriesOf, isMap, type Json, member } from "./json/json.ts";

type Labels = Readonly<Record<string, string>>;

/** Reports whether the labels match. An absent or invalid selector matches nothing, an empty one everything. */
export function matchesSelector(selector: Json | undefined, labels: Labels): boolean {
  if (!isMap(selector)) return false;
  const wanted = member(selector, "matchLabels");
  const expressions = asList(member(selector, "matchExpressions"));
  const isMatch = !isMap(wanted) || entriesOf(wanted).every(([key, value]) => labelOf(labels, key) === value);
  return isMatch && expressions.every((expression) => matchesExpression(expression, labels));
}

function matchesExpression(expression: Json, labels: Labels): boolean {
  const key = asText(member(expression, "key"));
  const operator = operators.get(asText(member(expression, "operator")) ?? "");
  const values = asList(member(expression, "values"));
  return key !== undefined && operator !== undefined && operator(labelOf(labels, key), values);
}

type Operator = (label: string | undefined, values: readonly Json[]) => boolean;

const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["In", (label, values) => label !== undefined && values.includes(label)],
  ["NotIn", (label, values) => values.length > 0 && (label === undefined || !values.includes(label))],
  ["Exists", (label, values) => values.length === 0 && label !== undefined],
  ["DoesNotExist", (label, values) => values.length === 0 && label === undefined],
]);

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
