// Building blocks for our CRD's schema. Each needs a description, which `kubectl explain` shows.

import type { JsonMap } from "@virt/api";

export type Schema = JsonMap;

/** A CEL rule of the API server and its error message. */
export type Rule = { readonly rule: string; readonly message: string };

export const rules = (...all: readonly Rule[]): Schema => ({ "x-kubernetes-validations": all });

export const text = (description: string, limits: Schema = {}): Schema => ({ type: "string", description, ...limits });

export const word = (words: readonly string[], description: string, rest: Schema = {}): Schema =>
  text(description, { enum: words, ...rest });

export const flag = (description: string, rest: Schema = {}): Schema => ({ type: "boolean", description, ...rest });

export const time = (description: string): Schema => text(description, { format: "date-time" });

export const name = (description: string): Schema => text(description, { maxLength: 253 });

export const count = (description: string, limits: Schema = {}): Schema => ({
  type: "integer",
  format: "int64",
  minimum: 0,
  description,
  ...limits,
});

export const generation = (description: string): Schema => count(description);

/** Requires a schema for every member of T, so that a new member does not compile without a description. */
export type Members<T> = { readonly [Name in keyof Required<T>]: Schema };

/** `required` is empty by default, because another version of the operator may omit fields. */
export function shape<T>(
  description: string,
  properties: Members<T>,
  { required = [], ...rest }: Schema & { readonly required?: readonly (keyof T & string)[] } = {},
): Schema {
  return { type: "object", description, properties, ...(required.length > 0 && { required }), ...rest };
}

export const atomic: Schema = { "x-kubernetes-map-type": "atomic" };

/** An atomic list, whose order is significant. */
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
