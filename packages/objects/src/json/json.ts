// Access to JSON of unknown shape, its canonical form and its hash, and functions that are computed once per object.

import type { Json, JsonMap } from "@virt/api";
import { compareUtf8, sha256 } from "../encoding/text.ts";
import { readJson } from "./read-json.ts";

export type { Json, JsonMap };

/** Reports whether the value is a JSON object. */
export function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether the value is a list. Array.isArray does not narrow a readonly array. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Returns undefined if the string is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** Returns a member of a map. Ignores inherited members such as `constructor` and `__proto__`. */
export function member(value: Json | undefined, key: string): Json | undefined {
  return isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Returns undefined if any part of the path is missing. */
export function at(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  return keys.reduce<Json | undefined>(member, value);
}

/** Returns the string, or undefined for any other value. Does not convert numbers. */
export function asText(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the number, or undefined for any other value. Does not parse strings. */
export function asNumber(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Returns the list, or an empty list for any other value. */
export function asList(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

/** Returns the members that are not undefined. */
export function entriesOf(map: JsonMap): readonly (readonly [string, Json])[] {
  return Object.entries(map).filter((entry): entry is [string, Json] => entry[1] !== undefined);
}

/** Reports whether two values are equal. Compares numbers by value and ignores the order of keys. */
export function equalJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (isList(left)) {
    return isList(right) && left.length === right.length && left.every((part, at) => equalJson(part, right[at]));
  }
  if (!isMap(left) || !isMap(right)) return false;
  const keys = keysOf(left);
  return keys.length === keysOf(right).length && keys.every((key) => equalJson(left[key], member(right, key)));
}

function keysOf(map: JsonMap): readonly string[] {
  return Object.keys(map).filter((key) => map[key] !== undefined);
}

/** Returns the SHA-256 of the canonical JSON, in hex. The order of keys does not matter. */
export function digest(value: Json): string {
  return sha256(canonicalJson(value));
}

/** Sorts keys by UTF-8 bytes, and escapes `<`, `>`, `&`, U+2028 and U+2029 as Go's encoder does. */
export function canonicalJson(value: Json): string {
  if (isMap(value)) return canonicalMap(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${value} is not a JSON number`);
  return escape(JSON.stringify(value));
}

function canonicalMap(map: JsonMap): string {
  const members = Object.keys(map)
    .toSorted(compareUtf8)
    .flatMap((key) => {
      const value = map[key];
      return value === undefined ? [] : [`${escape(JSON.stringify(key))}:${canonicalJson(value)}`];
    });
  return `{${members.join(",")}}`;
}

function escape(text: string): string {
  return text.replaceAll(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Caches the results of a pure function as long as its argument exists. */
export function oncePer<One extends object, Answer>(ask: (one: One) => Answer): (one: One) => Answer {
  const known = new WeakMap<One, Answer>();
  return (one) => {
    const found = known.get(one);
    if (found !== undefined || known.has(one)) return found as Answer;
    const answer = ask(one);
    known.set(one, answer);
    return answer;
  };
}

/** Caches the results of a pure function as long as both arguments exist. */
export function oncePerPair<One extends object, Other extends object, Answer>(
  ask: (one: One, other: Other) => Answer,
): (one: One, other: Other) => Answer {
  const askOf = oncePer((one: One) => oncePer((other: Other) => ask(one, other)));
  return (one, other) => askOf(one)(other);
}
