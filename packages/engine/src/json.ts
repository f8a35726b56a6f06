// JSON as data: what the API server sends and takes, and how to look into it without trusting its shape.

import type { Json, JsonMap } from "@virt/api";
import { readJson } from "./read-json.ts";

export type { Json, JsonMap };

export function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Array.isArray does not narrow a readonly array.
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** An own member, so that `constructor` or `__proto__` is found only where somebody wrote it. */
export function member(value: Json | undefined, key: string): Json | undefined {
  return isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** What lies at a path of map keys, if all of it is there. */
export function at(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  return keys.reduce<Json | undefined>(member, value);
}

export function asText(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function asNumber(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

export function asList(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

/** The members that are there. */
export function entriesOf(map: JsonMap): readonly (readonly [string, Json])[] {
  return Object.entries(map).filter((entry): entry is [string, Json] => entry[1] !== undefined);
}

/** Deep equality; numbers by value, the order of keys does not count. */
export function equalJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (isList(left)) {
    return isList(right) && left.length === right.length && left.every((part, at) => equalJson(part, right[at]));
  }
  if (!isMap(left) || !isMap(right)) return false;
  const entries = entriesOf(left);
  return (
    entries.length === entriesOf(right).length && entries.every(([key, part]) => equalJson(part, member(right, key)))
  );
}
