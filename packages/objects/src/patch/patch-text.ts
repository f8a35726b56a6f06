// Parses patch annotations: strict RFC 6902, within limits and only for fields that users may override.

import { utf8Length } from "../encoding/text.ts";
import { type Pointer, readPointer } from "../fields/path.ts";
import { asList, asText, isList, isMap, type Json, type JsonMap, member, parseJson } from "../json/json.ts";
import { duplicateIn, measureJson } from "../json/read-json.ts";

export type PatchOperation =
  | ValueOperation
  | TransferOperation
  | { readonly op: "remove"; readonly path: PointerPlace };

export type ValueOperation = {
  readonly op: "add" | "replace" | "test";
  readonly path: PointerPlace;
  readonly value: Json;
};

export type TransferOperation = {
  readonly op: "move" | "copy";
  readonly path: PointerPlace;
  readonly from: PointerPlace;
};

type PointerPlace = { readonly text: string; readonly pointer: Pointer };

export type PatchRefusal = { readonly kind: "refused"; readonly reason: string };

const limits = { bytes: 65_536, operations: 100, pointerBytes: 1_024, segments: 32, depth: 64, values: 4_000 };

export type JsonPatch = {
  readonly kind: "patch";
  readonly operations: readonly PatchOperation[];
  readonly depth: number; // of its values
};

export function readPatch(text: string): JsonPatch | PatchRefusal {
  const bytes = utf8Length(text);
  if (bytes > limits.bytes) return exceeded("text bytes", bytes, limits.bytes);
  const { depth, values } = measureJson(text);
  const valueDepth = depth - 2; // a value is inside an operation, inside the array
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

// Integers of up to 15 digits are exact.
const mayBeInexact = /[0-9]{16}|[0-9][eE][-+]?[0-9]/;

export function exceeded(limit: string, actual: number, most: number): PatchRefusal {
  return { kind: "refused", reason: `patch exceeds ${limit}: ${actual} > ${most}` };
}

function malformed(detail: string): PatchRefusal {
  return { kind: "refused", reason: `invalid patch annotation: ${detail}` };
}

function readAll(patch: Json): readonly PatchOperation[] | PatchRefusal {
  if (!isList(patch)) return malformed("not an array");
  if (patch.length > limits.operations) return exceeded("operations", patch.length, limits.operations);
  const operations: PatchOperation[] = [];
  for (const [at, given] of patch.entries()) {
    const name = `operation ${at}`;
    const operation = isMap(given) ? readOperation(given, name) : malformed(`${name} is not an object`);
    if ("kind" in operation) return operation;
    operations.push(operation);
  }
  return operations;
}

function readOperation(given: JsonMap, name: string): PatchOperation | PatchRefusal {
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

function isValuedOp(op: string | undefined): op is ValueOperation["op"] {
  return op === "add" || op === "replace" || op === "test";
}

function readPlace(given: JsonMap, key: "path" | "from", name: string): PointerPlace | PatchRefusal {
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

// JSON.parse silently rounds larger integers and turns 1e999 into Infinity.
function isExact(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export const ownPrefix = "platform.kubevirt.io/";

// Names that could change an object's prototype. They are rejected as an additional safeguard.
const prototypeNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export function isOverridable(pointer: Pointer): boolean {
  if (pointer.some((segment) => prototypeNames.has(segment))) return false;
  const [root] = pointer;
  return root === "spec" || root === "data" || (root === "metadata" && isOpenMetadata(pointer));
}

// Allows a single label or annotation without our prefix.
function isOpenMetadata([, part, key, ...rest]: Pointer): boolean {
  const isOne = key !== undefined && rest.length === 0 && !key.startsWith(ownPrefix);
  return isOne && (part === "labels" || part === "annotations");
}
