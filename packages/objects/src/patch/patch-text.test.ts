import { expect, test } from "vitest";
import { readPatch } from "./patch-text.ts";

const reasonFor = (patch: unknown): string => {
  const read = readPatch(typeof patch === "string" ? patch : JSON.stringify(patch));
  return read.kind === "refused" ? read.reason : "accepted";
};

const one = (operation: object) => reasonFor([operation]);

const shapes: readonly { reason: string; patch: string; detail: string }[] = [
  { reason: "a patch is JSON", patch: "- op: add", detail: "not JSON" },
  { reason: "an empty annotation is not a patch", patch: "", detail: "not JSON" },
  { reason: "a patch is an array", patch: '{"op":"remove","path":"/spec/a"}', detail: "not an array" },
  { reason: "an operation is an object", patch: "[[]]", detail: "operation 0 is not an object" },
  { reason: "an operation has an op", patch: '[{"path":"/spec/a"}]', detail: "operation 0 has no op" },
  {
    reason: "an operation has a known op",
    patch: '[{"op":"merge","path":"/spec/a"}]',
    detail: 'operation 0 has the unknown op "merge"',
  },
  { reason: "an operation has a path", patch: '[{"op":"remove"}]', detail: "operation 0 has no path" },
  { reason: "a path is a text", patch: '[{"op":"remove","path":["spec"]}]', detail: "operation 0 has no path" },
  { reason: "add has a value", patch: '[{"op":"add","path":"/spec/b"}]', detail: "operation 0 has no value" },
  { reason: "move has a from", patch: '[{"op":"move","path":"/spec/b"}]', detail: "operation 0 has no from" },
  {
    reason: "a tilde must be escaped",
    patch: '[{"op":"remove","path":"/spec/~a"}]',
    detail: 'operation 0: path "/spec/~a": invalid escape',
  },
  {
    reason: "rejects a duplicate member",
    patch: '[{"op":"add","op":"remove","path":"/spec/a"}]',
    detail: 'duplicate member "op"',
  },
  {
    reason: "rejects a duplicate member in another spelling",
    patch: '[{"op":"remove","path":"/spec/a","p\\u0061th":"/spec"}]',
    detail: 'duplicate member "path"',
  },
  {
    reason: "rejects a duplicate member inside a value",
    patch: '[{"op":"add","path":"/spec/b","value":{"c":[{"d":1,"d":1}]}}]',
    detail: 'duplicate member "d"',
  },
];

test.each(shapes)("$reason", ({ patch, detail }) => {
  expect(reasonFor(patch)).toBe(`invalid patch annotation: ${detail}`);
});

test("equal members of different objects are not duplicates", () => {
  expect(reasonFor('[{"op":"add","path":"/spec/b","value":[{"c":"c"},{"c":{"c":"\\"c\\":"}}]}]')).toBe("accepted");
});

const forbidden = [
  "",
  "/",
  "spec",
  "/specification",
  "/spec~1a",
  "/metadata",
  "/metadata/labels",
  "/metadata/labels/a/b",
  "/metadata/name",
  "/metadata/uid",
  "/metadata/ownerReferences/0",
  "/metadata/finalizers",
  "/metadata/annotations",
  "/metadata/labels/platform.kubevirt.io~1managed-by",
  "/metadata/annotations/platform.kubevirt.io~1mode",
  "/status",
  "/status/phase",
  "/kind",
  "/apiVersion",
  "/spec/__proto__",
  "/spec/__proto__/x",
  "/spec/a/constructor/prototype",
  "/data/prototype",
  "/__proto__/spec",
];

test.each(forbidden)("the path %j cannot be read or written", (path) => {
  for (const op of ["add", "replace", "test", "remove", "move", "copy"]) {
    expect(one({ op, path, from: "/spec/a", value: {} })).toBe(`patch path "${path}" is forbidden`);
  }
  expect(one({ op: "copy", from: path, path: "/spec/b" })).toBe(`patch from "${path}" is forbidden`);
});

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const addText = (value: string) => `[{"op":"add","path":"/spec/b","value":${value}}]`;
const limits: readonly { reason: string; patch: string; text: string }[] = [
  { reason: "a text has at most 65,536 bytes", patch: `["${"é".repeat(32_767)}"]`, text: "text bytes: 65538 > 65536" },
  {
    reason: "a patch has at most 100 operations",
    patch: JSON.stringify(Array.from({ length: 101 }, () => ({}))),
    text: "operations: 101 > 100",
  },
  {
    reason: "a pointer has at most 1,024 bytes",
    patch: `[{"op":"remove","path":"/spec/${"é".repeat(510)}"}]`,
    text: "pointer bytes: 1026 > 1024",
  },
  {
    reason: "a pointer has at most 32 segments",
    patch: `[{"op":"remove","path":"/spec${"/a".repeat(32)}"}]`,
    text: "pointer segments: 33 > 32",
  },
  { reason: "a value has at most 64 levels", patch: addText(nested(65)), text: "document depth: 65 > 64" },
  {
    reason: "an integer must be safe in JavaScript",
    patch: addText("[9007199254740993]"),
    text: "integer range: 9007199254740992 > 9007199254740991",
  },
  {
    reason: "a negative integer must be safe in JavaScript",
    patch: addText('{"c":-1e300}'),
    text: "integer range: 1e+300 > 9007199254740991",
  },
  { reason: "a number must be finite", patch: addText("1e999"), text: "integer range: Infinity > 9007199254740991" },
];

test.each(limits)("$reason", ({ patch, text }) => {
  expect(reasonFor(patch)).toBe(`patch exceeds ${text}`);
});

test("accepts values just within the limits", () => {
  expect(reasonFor(addText(nested(64)))).toBe("accepted");
  expect(reasonFor(addText("[9007199254740991,0.1,1e2]"))).toBe("accepted");
});
