// The pieces of which the schema of our CRD is made. Every piece has a description: kubectl explain shows it.

import type { JsonMap } from "@virt/api";

export type Schema = JsonMap;

/** A rule that the API server evaluates, and what it says when the rule does not hold. */
export type Rule = { readonly rule: string; readonly message: string };

export const rules = (...all: readonly Rule[]): Schema => ({ "x-kubernetes-validations": all });

export const text = (description: string, limits: Schema = {}): Schema => ({ type: "string", description, ...limits });

export const word = (words: readonly string[], description: string, rest: Schema = {}): Schema =>
  text(description, { enum: words, ...rest });

export const flag = (description: string, rest: Schema = {}): Schema => ({ type: "boolean", description, ...rest });

export const time = (description: string): Schema => text(description, { format: "date-time" });

/** Of an object of the API. */
export const name = (description: string): Schema => text(description, { maxLength: 253 });

export const count = (description: string, limits: Schema = {}): Schema => ({
  type: "integer",
  format: "int64",
  minimum: 0,
  description,
  ...limits,
});

/** A number that the API server counts up. */
export const generation = (description: string): Schema => count(description);

/** A schema for every member of T: one that is added to the type does not compile until it is described here. */
export type Members<T> = { readonly [Name in keyof Required<T>]: Schema };

/** Only what is required is listed: another version of the operator may leave out the rest. */
export function shape<T>(
  description: string,
  properties: Members<T>,
  { required = [], ...rest }: Schema & { readonly required?: readonly (keyof T & string)[] } = {},
): Schema {
  return { type: "object", description, properties, ...(required.length > 0 && { required }), ...rest };
}

export const atomic: Schema = { "x-kubernetes-map-type": "atomic" };

/** A list that is written as a whole, so that its order means something. */
export const list = (description: string, items: Schema, limits: Schema = {}): Schema => ({
  type: "array",
  description,
  items,
  "x-kubernetes-list-type": "atomic",
  ...limits,
});

export const listByKey = (key: string, description: string, items: Schema, limits: Schema = {}): Schema => ({
  type: "array",
  description,
  items,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": [key],
  ...limits,
});
