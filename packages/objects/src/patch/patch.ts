// Applies a patch annotation (RFC 6902) atomically and within limits. Never changes the identity of the object.

import type { KubeObject } from "@virt/api";
import { asList, at, entriesOf, equalJson, isMap, type Json, type JsonMap } from "../json/json.ts";
import { copyJson, jsonBytesOf, PatchDocument, type PatchStep } from "./patch-document.ts";
import {
  exceeded,
  type JsonPatch,
  ownPrefix,
  type PatchOperation,
  type PatchRefusal,
  readPatch,
  type TransferOperation,
  type ValueOperation,
} from "./patch-text.ts";

/** The patched object and the number of operations, or why the patch is rejected. */
export type Patched =
  | { readonly kind: "patched"; readonly object: KubeObject; readonly operations: number }
  | PatchRefusal;

/** Returns a patched copy. The reason of a refusal is a message for users. */
export function applyPatch(baseline: KubeObject, text: string): Patched {
  const patch = readPatch(text);
  if (patch.kind === "refused") return patch;
  const draft = new PatchDocument(withMetadata(baseline));
  const refusal = applyOperations(patch, draft);
  if (refusal !== undefined) return refusal;
  const object = draft.document;
  if (!isSameObject(baseline, object)) return { kind: "refused", reason: "patch changes the identity of the object" };
  return { kind: "patched", object: withoutEmptied(object), operations: patch.operations.length };
}

// A patch may add the first label or annotation.
function withMetadata(baseline: KubeObject): JsonMap {
  const { labels = {}, annotations = {} } = baseline.metadata;
  return { ...baseline, metadata: { ...baseline.metadata, labels, annotations } };
}

function withoutEmptied(object: KubeObject): KubeObject {
  const isEmptied = ([key, value]: readonly [string, Json]) =>
    (key === "labels" || key === "annotations") && isMap(value) && entriesOf(value).length === 0;
  const metadata = Object.fromEntries(entriesOf(object.metadata).filter((entry) => !isEmptied(entry)));
  return { ...object, metadata } as KubeObject;
}

const identity: readonly (readonly string[])[] = [
  ["apiVersion"],
  ["kind"],
  ["metadata", "name"],
  ["metadata", "namespace"],
  ["metadata", "labels", `${ownPrefix}managed-by`],
];

// A second check after the one for allowed paths. Keep it if you allow more paths.
function isSameObject(baseline: KubeObject, document: Json): document is KubeObject {
  const isSame = identity.every((path) => equalJson(at(baseline, ...path), at(document, ...path)));
  return isSame && equalJson(partsOf(baseline), partsOf(document)) && at(document, "metadata", "uid") === undefined;
}

function partsOf(value: Json): readonly string[] {
  return isMap(value)
    ? entriesOf(value)
        .map(([key]) => key)
        .toSorted()
    : [];
}

// Limits all copies and moves together, because the document may stay small while the work grows.
const limits = { bytes: 524_288, depth: 64, carriedBytes: 131_072, carriedValues: 800 };

type Load = { bytes: number; values: number };

function applyOperations(patch: JsonPatch, draft: PatchDocument): PatchRefusal | undefined {
  const load: Load = { bytes: 0, values: 0 };
  for (const [index, operation] of patch.operations.entries()) {
    const tooMuch = "from" in operation ? overload(load, draft, operation) : tooDeep(patch.depth, operation);
    if (tooMuch !== undefined) return tooMuch;
    const step = perform(draft, operation);
    if (step.kind === "failed") return failure(index, operation, step.detail);
    if (draft.bytes > limits.bytes) return exceeded("document bytes", draft.bytes, limits.bytes);
  }
  return undefined;
}

function failure(index: number, { op, path }: PatchOperation, detail: string): PatchRefusal {
  return { kind: "refused", reason: `operation ${index} (${op} ${path.text}): ${detail}` };
}

function overload(load: Load, draft: PatchDocument, { from, path }: TransferOperation): PatchRefusal | undefined {
  const value = draft.find(from.pointer);
  if (value === undefined) return undefined;
  const weight = weigh(value, limits.carriedValues - load.values);
  load.values += weight.values;
  if (load.values > limits.carriedValues) return exceeded("carried values", load.values, limits.carriedValues);
  load.bytes += jsonBytesOf(value);
  if (load.bytes > limits.carriedBytes) return exceeded("carried bytes", load.bytes, limits.carriedBytes);
  const depth = path.pointer.length + weight.depth;
  return depth > limits.depth ? exceeded("document depth", depth, limits.depth) : undefined;
}

// Returns an error if the document is too deep. Few values have to be measured, because `most` bounds the depth.
function tooDeep(most: number, operation: PatchOperation): PatchRefusal | undefined {
  const above = operation.path.pointer.length;
  if (above + most <= limits.depth || !("value" in operation) || operation.op === "test") return undefined;
  const depth = above + weigh(operation.value, Number.POSITIVE_INFINITY).depth;
  return depth > limits.depth ? exceeded("document depth", depth, limits.depth) : undefined;
}

// Stops counting soon after `most`.
function weigh(value: Json | undefined, most: number): { readonly values: number; readonly depth: number } {
  const parts = isMap(value) ? Object.values(value) : asList(value);
  let values = 1;
  let depth = 0;
  for (const part of parts) {
    if (values > most) break;
    const inner = weigh(part, most - values);
    values += inner.values;
    depth = Math.max(depth, inner.depth);
  }
  return { values, depth: typeof value === "object" && value !== null ? depth + 1 : 0 };
}

const done: PatchStep = { kind: "done" };
const failed = (detail: string): PatchStep => ({ kind: "failed", detail });

function perform(draft: PatchDocument, operation: PatchOperation): PatchStep {
  const { pointer } = operation.path;
  switch (operation.op) {
    case "add":
      return draft.add(pointer, operation.value);
    case "replace":
      return draft.replace(pointer, operation.value);
    case "remove":
      return draft.remove(pointer);
    case "test":
      return test(draft, operation);
    case "move":
    case "copy":
      return carry(draft, operation);
  }
}

function test(draft: PatchDocument, { path, value }: ValueOperation): PatchStep {
  const found = draft.find(path.pointer);
  if (found === undefined) return failed("it does not exist");
  return equalJson(found, value) ? done : failed("the value differs");
}

function carry(draft: PatchDocument, { op, from, path }: TransferOperation): PatchStep {
  const value = draft.find(from.pointer);
  if (value === undefined) return failed(`${from.text} does not exist`);
  if (path.pointer.at(-1) === "-" && Array.isArray(draft.find(path.pointer.slice(0, -1)))) {
    return failed(`"-" is valid only for add, not for ${op}`);
  }
  if (op === "copy") return draft.add(path.pointer, copyJson(value));
  if (path.text === from.text) return done;
  if (path.text.startsWith(`${from.text}/`)) return failed("a value cannot be moved into itself");
  draft.remove(from.pointer);
  return draft.add(path.pointer, value);
}
