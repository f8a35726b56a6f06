// Converts any value to plain data for the log: bounded, acyclic and without secrets.

import { cutText, type Json, type JsonMap } from "@virt/objects";
import {
  endsInSecretName,
  holdsSecretObject,
  isSecretName,
  redactedMark,
  scrubText,
  splitJson,
} from "./secret-text.ts";

const most = { depth: 10, values: 1_000, textBytes: 8_192, jsonLength: 100_000 };

/** `left` is the number of values that may still be visited. `open` contains the ancestors. */
type Walk = { left: number; readonly open: Set<object> };
type Place = { readonly walk: Walk; readonly depth: number; readonly isSecret: boolean };

/** Never throws. Drops undefined and functions, replaces bytes with their count and keeps the causes of errors. */
export function loggable(value: unknown): Json | undefined {
  return visit(value, { walk: { left: most.values, open: new Set() }, depth: 0, isSecret: false });
}

/** Redacts secrets in text. Values inside JSON are redacted by name, other text by pattern. */
export function loggableText(text: string): string {
  return visitText(text, { walk: { left: most.values, open: new Set() }, depth: 0, isSecret: false });
}

function visit(value: unknown, place: Place): Json | undefined {
  if (--place.walk.left < 0) return "…";
  switch (typeof value) {
    case "string":
      return visitText(value, place);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "bigint":
    case "symbol":
      return String(value);
    case "undefined":
    case "function":
      return undefined;
    case "object":
      return value === null ? null : enter(value, place);
  }
}

function visitText(text: string, place: Place): string {
  if (place.depth >= most.depth || text.length > most.jsonLength) return scrubText(text);
  const pieces = splitJson(text);
  if (pieces.some((piece) => "text" in piece && holdsSecretObject(piece.text))) return redactedMark;
  let before = "";
  const parts = pieces.map((piece) => {
    const isHidden = "json" in piece && endsInSecretName(before);
    before = "text" in piece ? piece.text : "";
    if (isHidden) return redactedMark;
    return "text" in piece
      ? scrubText(piece.text)
      : JSON.stringify(visit(piece.json, { ...place, depth: place.depth + 1 }));
  });
  return cutText(parts.join(""), most.textBytes);
}

function enter(value: object, { walk, depth, isSecret }: Place): Json {
  if (walk.open.has(value)) return "[circular]";
  if (depth >= most.depth) return "…";
  walk.open.add(value);
  try {
    return plain(value, { walk, depth: depth + 1, isSecret });
  } catch {
    return "[unreadable]";
  } finally {
    walk.open.delete(value);
  }
}

function plain(value: object, place: Place): Json {
  if (Array.isArray(value)) return list(value, place);
  if (value instanceof Error) return error(value, place);
  if (value instanceof Date) return String(value.getTime()) === "NaN" ? "Invalid Date" : value.toISOString();
  if (value instanceof URL) return scrubText(value.href);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Set) return list([...value], place);
  if (value instanceof Map || isHeaders(value)) return map(pairsOf(value), place);
  return map(Object.entries(value), place);
}

// Checks the name, because accessing the global `Headers` loads fetch, which permanently costs 6 MB.
function isHeaders(value: object): value is Headers {
  return Object.prototype.toString.call(value) === "[object Headers]";
}

function pairsOf(pairs: Iterable<readonly [unknown, unknown]>): readonly (readonly [string, unknown])[] {
  return Array.from(pairs, ([key, value]) => [String(key), value] as const);
}

// In raw headers and command lines, each value follows its name in the list.
function list(values: readonly unknown[], place: Place): readonly Json[] {
  return values.slice(0, leftOf(place)).map((value, at) => {
    const before = values[at - 1];
    const isValue = typeof before === "string" && /^[\w-]+$/.test(before) && isSecretName(before);
    return isValue && isHideable(value) ? redactedMark : (visit(value, place) ?? null);
  });
}

function error(value: Error, place: Place): JsonMap {
  const { name, message, stack = `${name}: ${message}`, cause, ...own } = value;
  const errors = value instanceof AggregateError ? { errors: value.errors as unknown } : {};
  const fields = { ...own, ...errors, type: name, message, stack, ...(cause !== undefined && { cause }) };
  return map(Object.entries(fields), place);
}

function map(entries: readonly (readonly [string, unknown])[], place: Place): JsonMap {
  const { kind, name } = Object.fromEntries(entries) as { readonly kind?: unknown; readonly name?: unknown };
  const isSecret = place.isSecret || kind === "Secret" || kind === "SecretList";
  const isHidden = (key: string) =>
    isSecretName(key) ||
    (isSecret && (key === "data" || key === "stringData")) ||
    (key === "value" && typeof name === "string" && isSecretName(name));
  const inside = { ...place, isSecret: kind === "SecretList" };
  return Object.fromEntries(
    entries
      .slice(0, leftOf(place))
      .map(([key, value]) => [
        scrubText(key),
        isHidden(key) && isHideable(value) ? redactedMark : visit(value, inside),
      ]),
  );
}

// Numbers and booleans are never secret, such as `tokens: 25` or `automountServiceAccountToken: false`.
function isHideable(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null);
}

// Visits one value more than fits, so that the output shows the truncation mark.
function leftOf({ walk }: Place): number {
  return Math.max(0, walk.left) + 1;
}
