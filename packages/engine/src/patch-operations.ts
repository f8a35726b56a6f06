// Carries out the operations of a patch on a draft, one after the other, within limits.

import { bytesOf, copyOf, type Draft, type Step } from "./draft.ts";
import { asList, equalJson, isMap, type Json } from "./json.ts";
import { type Carrying, exceeded, type Operation, type Patch, type Refusal, type Valued } from "./patch-text.ts";

// What copy and move carry is limited in all: the document may stay small while the work does not.
const limits = { bytes: 524_288, depth: 64, carriedBytes: 131_072, carriedValues: 800 };

type Load = { bytes: number; values: number };

/** Why it stopped, if it did. The draft is then worth nothing. */
export function carryOut(patch: Patch, draft: Draft): Refusal | undefined {
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

function failure(index: number, { op, path }: Operation, detail: string): Refusal {
  return { kind: "refused", reason: `operation ${index} (${op} ${path.text}): ${detail}` };
}

function overload(load: Load, draft: Draft, { from, path }: Carrying): Refusal | undefined {
  const value = draft.find(from.pointer);
  if (value === undefined) return undefined;
  const weight = weigh(value, limits.carriedValues - load.values);
  load.values += weight.values;
  if (load.values > limits.carriedValues) return exceeded("carried values", load.values, limits.carriedValues);
  load.bytes += bytesOf(value);
  if (load.bytes > limits.carriedBytes) return exceeded("carried bytes", load.bytes, limits.carriedBytes);
  const depth = path.pointer.length + weight.depth;
  return depth > limits.depth ? exceeded("document depth", depth, limits.depth) : undefined;
}

// No value of the patch goes deeper than `most`, so that few need to be looked at.
function tooDeep(most: number, operation: Operation): Refusal | undefined {
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

const done: Step = { kind: "done" };
const failed = (detail: string): Step => ({ kind: "failed", detail });

function perform(draft: Draft, operation: Operation): Step {
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

function test(draft: Draft, { path, value }: Valued): Step {
  const found = draft.find(path.pointer);
  if (found === undefined) return failed("it does not exist");
  return equalJson(found, value) ? done : failed("the value is another");
}

function carry(draft: Draft, { op, from, path }: Carrying): Step {
  const value = draft.find(from.pointer);
  if (value === undefined) return failed(`${from.text} does not exist`);
  if (path.pointer.at(-1) === "-" && Array.isArray(draft.find(path.pointer.slice(0, -1)))) {
    return failed(`- is for add, not for ${op}`);
  }
  if (op === "copy") return draft.add(path.pointer, copyOf(value));
  if (path.text === from.text) return done;
  if (path.text.startsWith(`${from.text}/`)) return failed("a value cannot be moved into itself");
  draft.remove(from.pointer);
  return draft.add(path.pointer, value);
}
