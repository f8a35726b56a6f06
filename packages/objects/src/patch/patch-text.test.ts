import { expect, test } from "vitest";
import { readPatch } from "./patch-text.ts";

const reasonFor = (patch: unknown): string => {
  const read = readPatch(typeof patch === "string" ? patch : JSON.stringify(patch));
  return read.kind === "refused" ? read.reason : "accepted";
};

const one = (operation: object) => reasonFor([operation]);

const shapes: readonly (readonly [reason: string, patch: string, detail: string])[] = [
  ["a patch is JSON", "- op: add", "not JSON"],
  ["an empty annotation is not a patch", "", "not JSON"],
  ["a patch is an array", '{"op":"remove","path":"/spec/a"}', "not an array"],
  ["an operation is an object", "[[]]", "operation 0 is not an object"],
  ["an operation has an op", '[{"path":"/spec/a"}]', "operation 0 has no op"],
  ["an operation has a known op", '[{"op":"merge","path":"/spec/a"}]', 'operation 0 has the unknown op "merge"'],
  ["an operation has a path", '[{"op":"remove"}]', "operation 0 has no path"],
  ["a path is a text", '[{"op":"remove","path":["spec"]}]', "operation 0 has no path"],
  ["add has a value", '[{"op":"add","path":"/spec/b"}]', "operation 0 has no value"],
  ["move has a from", '[{"op":"move","path":"/spec/b"}]', "operation 0 has no from"],
  ["a tilde must be escaped", '[{"op":"remove","path":"/spec/~a"}]', 'operation 0: path "/spec/~a": invalid escape'],
  ["rejects a duplicate member", '[{"op":"add","op":"remove","path":"/spec/a"}]', 'duplicate member "op"'],
  [
    "rejects a duplicate member in another spelling",
    '[{"op":"remove","path":"/spec/a","p\\u0061th":"/spec"}]',
    'duplicate member "path"',
  ],
  [
    "rejects a duplicate member inside a value",
    '[{"op":"add","path":"/spec/b","value":{"c":[{"d":1,"d":1}]}}]',
    'duplicate member "d"',
  ],
];

test.each(shapes)("%s", (_reason, patch, detail) => {
  expect(reasonFor(patch)).toBe(`invalid patch annotation: ${detail}`);
});

test("equal members of different objects are not duplicates", () => {
  expect(reasonFor('[{"op":"add","path":"/spec/b","value":[{"c":"c"},{"c":{"c":"\\"c\\":"}}]}]')).toBe("accepted");
});

// biome-ignore format: a list
const forbidden = [
  "", "/", "spec", "/specification", "/spec~1a", "/metadata", "/metadata/labels", "/metadata/labels/a/b",
  "/metadata/name", "/metadata/uid", "/metadata/ownerReferences/0", "/metadata/finalizers", "/metadata/annotations",
  "/metadata/labels/platform.kubevirt.io~1managed-by", "/metadata/annotations/platform.kubevirt.io~1mode", "/status",
  "/status/phase", "/kind", "/apiVersion", "/spec/__proto__", "/spec/__proto__/x", "/spec/a/constructor/prototype",
  "/data/prototype", "/__proto__/spec",
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
