import type { KubeObject } from "@virt/api";
import fc from "fast-check";
import jsonPatch from "fast-json-patch";
import { expect, test } from "vitest";
import { at, equalJson, type Json } from "../json/json.ts";
import { applyPatch } from "./patch.ts";
import { copyJson, jsonBytesOf } from "./patch-document.ts";

const label = "platform.kubevirt.io/managed-by";

const objectWith = (spec: Json): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing", namespace: "here", labels: { [label]: "virt-platform-operator" } },
  spec,
});

const specAfter = (spec: Json, ...operations: readonly Json[]): Json | undefined => {
  const patched = applyPatch(objectWith(spec), JSON.stringify(operations));
  return patched.kind === "patched" ? patched.object["spec"] : patched.reason;
};

// https://www.rfc-editor.org/rfc/rfc6902#appendix-A, moved below /spec
const examples: readonly (readonly [reason: string, spec: Json, operation: Json, after: Json])[] = [
  ["add adds a member", { a: 1 }, { op: "add", path: "/spec/b", value: 2 }, { a: 1, b: 2 }],
  [
    "add inserts an element before its index",
    { a: [1, 3] },
    { op: "add", path: "/spec/a/1", value: 2 },
    { a: [1, 2, 3] },
  ],
  ["add at the length of a list appends", { a: [1] }, { op: "add", path: "/spec/a/1", value: 2 }, { a: [1, 2] }],
  ["add at - appends", { a: [1] }, { op: "add", path: "/spec/a/-", value: [2] }, { a: [1, [2]] }],
  ["add replaces a member", { a: 1 }, { op: "add", path: "/spec/a", value: null }, { a: null }],
  ["- is a normal key of a map", { a: {} }, { op: "add", path: "/spec/a/-", value: 1 }, { a: { "-": 1 } }],
  ["remove deletes a member", { a: 1, b: 2 }, { op: "remove", path: "/spec/a" }, { b: 2 }],
  ["remove deletes an element", { a: [1, 2, 3] }, { op: "remove", path: "/spec/a/1" }, { a: [1, 3] }],
  ["replace changes a value", { a: [1, 2] }, { op: "replace", path: "/spec/a/0", value: 9 }, { a: [9, 2] }],
  ["replace may change all of spec", { a: 1 }, { op: "replace", path: "/spec", value: {} }, {}],
  [
    "move moves a value",
    { a: { x: 1 }, b: {} },
    { op: "move", from: "/spec/a/x", path: "/spec/b/y" },
    { a: {}, b: { y: 1 } },
  ],
  [
    "move within a list counts after the removal",
    { a: [1, 2, 3] },
    { op: "move", from: "/spec/a/0", path: "/spec/a/2" },
    { a: [2, 3, 1] },
  ],
  ["move to the same place changes nothing", { a: 1 }, { op: "move", from: "/spec/a", path: "/spec/a" }, { a: 1 }],
  ["copy duplicates a value", { a: [1] }, { op: "copy", from: "/spec/a", path: "/spec/b" }, { a: [1], b: [1] }],
  [
    "test compares numbers by value and maps without order",
    { a: { x: 1, y: [2] } },
    { op: "test", path: "/spec/a", value: { y: [2], x: 1.0 } },
    { a: { x: 1, y: [2] } },
  ],
  [
    "decodes escapes",
    { "a/b": { "m~n": 1 } },
    { op: "replace", path: "/spec/a~1b/m~0n", value: 2 },
    { "a/b": { "m~n": 2 } },
  ],
  ["ignores unknown members", { a: 1 }, { op: "remove", path: "/spec/a", value: 7, from: "/status", note: "x" }, {}],
];

test.each(examples)("%s", (_reason, spec, operation, after) => {
  expect(specAfter(spec, operation)).toEqual(after);
});

test("a copy is independent of its source", () => {
  const copy = { op: "copy", from: "/spec/a", path: "/spec/b" };
  expect(specAfter({ a: [1] }, copy, { op: "add", path: "/spec/a/-", value: 2 })).toEqual({ a: [1, 2], b: [1] });
});

test("adds the first annotation and drops empty labels", () => {
  const bare: KubeObject = { apiVersion: "v1", kind: "Thing", metadata: { name: "thing" } };
  const add = { op: "add", path: "/metadata/annotations/example.com~1a", value: "b" };
  const patched = applyPatch(bare, JSON.stringify([add]));
  expect(patched).toEqual({
    kind: "patched",
    object: { ...bare, metadata: { name: "thing", annotations: { "example.com/a": "b" } } },
    operations: 1,
  });
});

const path = fc.constantFrom(
  "/spec/a",
  "/spec/a/x",
  "/spec/a/x/y",
  "/spec/b",
  "/spec/b/0",
  "/spec/b/1",
  "/spec/b/2/x",
  "/spec/c",
  "/spec/c/x",
);
const value = fc.constantFrom<Json>(1, null, "", {}, [], { x: 1 }, { y: { x: [] } }, [1, 2]);
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom("add", "replace", "test"), path, value }),
  fc.record({ op: fc.constant("add"), path: fc.constantFrom("/spec/b/-", "/spec/c/-"), value }),
  fc.record({ op: fc.constant("remove"), path }),
  fc.record({ op: fc.constantFrom("move", "copy"), from: path, path }),
);
const anySpec = fc.record({ a: value, b: fc.array(value, { maxLength: 3 }) });

test("behaves like fast-json-patch, or both reject the patch", () => {
  const law = fc.property(anySpec, fc.array(operation, { minLength: 1, maxLength: 4 }), (spec, operations) => {
    const before = structuredClone(spec);
    const ours = applyPatch(objectWith(spec), JSON.stringify(operations));
    const theirs = operations.some(isMoveIntoItself) ? undefined : theirSpec(spec, operations);
    if (!equalJson(spec, before)) return false;
    if (ours.kind === "patched") return equalJson(ours.object["spec"], theirs);
    return theirs === undefined;
  });
  fc.assert(law);
});

const isMoveIntoItself = (operation: { op: string; path: string; from?: string }) =>
  operation.op === "move" && operation.path.startsWith(`${operation.from}/`);

function theirSpec(spec: Json, operations: readonly { op: string; path: string; from?: string }[]): Json | undefined {
  try {
    let document = copyJson({ spec });
    for (const operation of operations) {
      const patch = copyJson(inTheirWords(document, operation)) as unknown as jsonPatch.Operation[];
      document = jsonPatch.applyPatch(document, patch, true).newDocument;
    }
    return at(document, "spec");
  } catch {
    return undefined;
  }
}

// Adapts the expected result, because the library deviates from RFC 6902: it resolves the target of a move before it
// removes the source, and accepts indexes beyond the end of a list.
function inTheirWords(document: Json, operation: { op: string; path: string; from?: string }): Json {
  const { op, path, from } = operation;
  if (from === undefined) return [operation];
  const add = { op: "add", path, value: jsonPatch.getValueByPointer(document, from) as Json };
  return op === "move" ? [{ op: "remove", path: from }, add] : [add];
}

test("the size limit of the document is exact", () => {
  const room =
    524_288 - jsonBytesOf({ ...objectWith({ a: "" }), metadata: { ...objectWith({}).metadata, annotations: {} } });
  const grow = (bytes: number) => specAfter({ a: "", b: "x".repeat(bytes) }, { op: "add", path: "/spec/a", value: "" });
  const member = ',"b":""'.length;
  expect(grow(room - member)).toHaveProperty("a", "");
  expect(grow(room - member + 1)).toBe("patch exceeds document bytes: 524289 > 524288");
});
