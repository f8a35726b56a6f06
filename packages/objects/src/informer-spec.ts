// The objects that an informer watches, the labels that select them, and the parts of them that it keeps.

import { asList, asText, entriesOf, isMap, type Json, member } from "./json/json.ts";

/** The watched objects. With `name`, a single object. */
export type InformerSpec = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: string;
  readonly projection: Projection;
};

/**
 * `parts` keeps paths of keys, such as `["status", "capacity"]`, plus identity and deletion, but nothing else that a
 * creator could make large. `members` keeps only the members, without the resourceVersion, for thousands of objects
 * that are only read.
 */
export type Projection =
  | { readonly keep: "all" }
  | { readonly keep: "metadata" }
  | { readonly keep: "parts"; readonly parts: readonly (readonly string[])[] }
  | { readonly keep: "members"; readonly members: readonly ProjectionMember[] };

/**
 * A path of keys or key patterns. `beginsNot` matches keys with none of the prefixes. `among` selects list elements by
 * their value for `key`. `atMost` ends a path and replaces a larger value with `overLimit`.
 */
export type ProjectionMember = readonly (
  | string
  | { readonly begins: string }
  | { readonly contains: string }
  | { readonly beginsNot: readonly string[] }
  | { readonly among: readonly string[]; readonly key: string }
  | { readonly atMost: number }
)[];

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

/** Replaces a value that was dropped because of its size. */
export const overLimit = "(over the limit)";

/** Reports whether a value exceeds the limit. Also true for a value that was dropped for its size. */
export function exceedsBytes(value: Json | undefined, most: number): boolean {
  return value === overLimit || bytesLeft(value, most) < 0;
}

function bytesLeft(value: Json | undefined, left: number): number {
  if (typeof value === "string") return left - value.length - 2;
  if (Array.isArray(value)) return (value as readonly Json[]).reduce<number>(takeElement, left - 2);
  if (!isMap(value)) return left - 4;
  let rest = left - 2;
  // Does not list the keys first, so that it stops early even for a megabyte of labels.
  for (const key in value) {
    if (rest < 0) return rest;
    rest = bytesLeft(value[key], rest - key.length - 4);
  }
  return rest;
}

function takeElement(left: number, element: Json): number {
  return left < 0 ? left : bytesLeft(element, left - 1);
}
