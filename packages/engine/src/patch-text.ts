// Reads a patch annotation: strict RFC 6902, bounded, and only where overrides are allowed.

import { asList, asText, isList, isMap, type Json, type JsonMap, member, parseJson } from "./json.ts";
import { duplicateIn, measureJson } from "./json-scan.ts";
import { isOverridable } from "./override-roots.ts";
import { type Pointer, readPointer } from "./pointer.ts";
import { utf8Length } from "./utf8.ts";

export type Operation = Valued | Carrying | { readonly op: "remove"; readonly path: Place };

export type Valued = { readonly op: "add" | "replace" | "test"; readonly path: Place; readonly value: Json };

export type Carrying = { readonly op: "move" | "copy"; readonly path: Place; readonly from: Place };

/** A pointer, and how it was written. */
type Place = { readonly text: string; readonly pointer: Pointer };

export type Refusal = { readonly kind: "refused"; readonly reason: string };

const limits = { bytes: 65_536, operations: 100, pointerBytes: 1_024, segments: 32, depth: 64, values: 4_000 };

export type Patch = {
  readonly kind: "patch";
  readonly operations: readonly Operation[];
  readonly depth: number; // no value of it goes deeper
};

export function readPatch(text: string): Patch | Refusal {
  const bytes = utf8Length(text);
  if (bytes > limits.bytes) return exceeded("text bytes", bytes, limits.bytes);
  const { depth, values } = measureJson(text);
  const valueDepth = depth - 2; // A value lies in an operation, which lies in the array.
  if (valueDepth > limits.depth) return exceeded("document depth", valueDepth, limits.depth);
  if (values > limits.values) return exceeded("values", values, limits.values);
  const patch = parseJson(text);
  if (patch === undefined) return malformed("not JSON");
  const duplicate = duplicateIn(text);
  if (duplicate !== undefined) return malformed(`duplicate member ${shown(duplicate)}`);
  const number = mayBeInexact.test(text) ? inexactNumber(patch) : undefined;
  if (number !== undefined) return exceeded("integer range", Math.abs(number), Number.MAX_SAFE_INTEGER);
  const operations = readAll(patch);
  return "kind" in operations ? operations : { kind: "patch", operations, depth: valueDepth };
}

// An integer of fifteen digits is exact.
const mayBeInexact = /[0-9]{16}|[0-9][eE][-+]?[0-9]/;

export function exceeded(limit: string, actual: number, most: number): Refusal {
  return { kind: "refused", reason: `patch exceeds ${limit}: ${actual} > ${most}` };
}

function malformed(detail: string): Refusal {
  return { kind: "refused", reason: `invalid patch annotation: ${detail}` };
}

function readAll(patch: Json): readonly Operation[] | Refusal {
  if (!isList(patch)) return malformed("not an array");
  if (patch.length > limits.operations) return exceeded("operations", patch.length, limits.operations);
  const operations: Operation[] = [];
  for (const [at, given] of patch.entries()) {
    const name = `operation ${at}`;
    const operation = isMap(given) ? readOperation(given, name) : malformed(`${name} is not an object`);
    if ("kind" in operation) return operation;
    operations.push(operation);
  }
  return operations;
}

function readOperation(given: JsonMap, name: string): Operation | Refusal {
  const op = asText(member(given, "op"));
  const path = readPlace(given, "path", name);
  if ("kind" in path) return path;
  if (op === "remove") return { op, path };
  if (op === "move" || op === "copy") {
    const from = readPlace(given, "from", name);
    return "kind" in from ? from : { op, path, from };
  }
  const value = member(given, "value");
  if (!isValuedOp(op))
    return malformed(op === undefined ? `${name} has no op` : `${name} has the unknown op ${shown(op)}`);
  return value === undefined ? malformed(`${name} has no value`) : { op, path, value };
}

function isValuedOp(op: string | undefined): op is Valued["op"] {
  return op === "add" || op === "replace" || op === "test";
}

function readPlace(given: JsonMap, key: "path" | "from", name: string): Place | Refusal {
  const text = member(given, key);
  if (typeof text !== "string") return malformed(`${name} has no ${key}`);
  const bytes = utf8Length(text);
  if (bytes > limits.pointerBytes) return exceeded("pointer bytes", bytes, limits.pointerBytes);
  const read = readPointer(text);
  if (read.kind === "bad-escape") return malformed(`${name}: ${key} ${shown(text)}: invalid escape`);
  const pointer = read.kind === "pointer" ? read.pointer : [];
  if (pointer.length > limits.segments) return exceeded("pointer segments", pointer.length, limits.segments);
  if (!isOverridable(pointer)) return { kind: "refused", reason: `patch ${key} "${text}" is forbidden` };
  return { text, pointer };
}

function inexactNumber(value: Json | undefined): number | undefined {
  if (typeof value === "number") return isExact(value) ? undefined : value;
  const parts = isMap(value) ? Object.values(value) : asList(value);
  for (const part of parts) {
    const found = inexactNumber(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

// JSON.parse rounds a greater integer without saying so, and makes 1e999 infinite.
function isExact(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
