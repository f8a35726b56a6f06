import type { KubeObject } from "@virt/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { entriesOf, equalJson, isList, isMap, type Json } from "../json/json.ts";
import { applyPatch } from "./patch.ts";
import { jsonBytesOf } from "./patch-document.ts";

const baseline: KubeObject = {
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing", labels: { "platform.kubevirt.io/managed-by": "virt-platform-operator" } },
  spec: { a: { x: 1 }, list: [1, 2] },
};

const reasonFor = (patch: unknown): string => {
  const patched = applyPatch(baseline, typeof patch === "string" ? patch : JSON.stringify(patch));
  return patched.kind === "refused" ? patched.reason : "accepted";
};

const one = (operation: object) => reasonFor([operation]);

const failures: readonly (readonly [reason: string, operation: object, detail: string])[] = [
  [
    "creates no parents",
    { op: "add", path: "/spec/b/c", value: 1 },
    "its parent does not exist, or is neither an object nor a list",
  ],
  [
    "a number has no members",
    { op: "add", path: "/spec/a/x/y", value: 1 },
    "its parent does not exist, or is neither an object nor a list",
  ],
  ["an index must be in range", { op: "add", path: "/spec/list/3", value: 1 }, "the list has 2 elements"],
  [
    "an index has no leading zero",
    { op: "add", path: "/spec/list/01", value: 1 },
    "a list element must be addressed by its index",
  ],
  [
    "a huge number is not an index",
    { op: "replace", path: "/spec/list/99999999999999999999", value: 1 },
    "it does not exist",
  ],
  ["remove requires its target", { op: "remove", path: "/spec/b" }, "it does not exist"],
  ["replace requires its target", { op: "replace", path: "/spec/list/2", value: 1 }, "it does not exist"],
  ["- is not an element", { op: "remove", path: "/spec/list/-" }, "it does not exist"],
  [
    "- is allowed for add only",
    { op: "copy", from: "/spec/a", path: "/spec/list/-" },
    '"-" is valid only for add, not for copy',
  ],
  ["copy requires its source", { op: "copy", from: "/spec/b", path: "/spec/c" }, "/spec/b does not exist"],
  [
    "an inherited name is not a source",
    { op: "copy", from: "/spec/toString", path: "/spec/c" },
    "/spec/toString does not exist",
  ],
  ["the length of a list is not a member", { op: "test", path: "/spec/list/length", value: 2 }, "it does not exist"],
  [
    "a value cannot be moved into itself",
    { op: "move", from: "/spec/a", path: "/spec/a/y" },
    "a value cannot be moved into itself",
  ],
  ["test compares the whole value", { op: "test", path: "/spec/a", value: { x: 1, y: 2 } }, "the value differs"],
];

test.each(failures)("%s", (_reason, operation, detail) => {
  const { op, path } = operation as { op: string; path: string };
  expect(one(operation)).toBe(`operation 0 (${op} ${path}): ${detail}`);
});

test("reports the number of the failed operation", () => {
  expect(
    reasonFor([
      { op: "remove", path: "/spec/a" },
      { op: "remove", path: "/spec/a" },
    ]),
  ).toBe("operation 1 (remove /spec/a): it does not exist");
});

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test("limits the depth of a document to 64", () => {
  const add = (depth: number) => reasonFor(`[{"op":"add","path":"/spec/b","value":${nested(depth)}}]`);
  expect(add(62)).toBe("accepted");
  expect(add(63)).toBe("patch exceeds document depth: 65 > 64");
});

test("limits copies that double the document", () => {
  const fill = { op: "add", path: "/spec/b", value: { c: "x".repeat(2000) } };
  const doubling = Array.from({ length: 40 }, (_, at) => ({ op: "copy", from: "/spec", path: `/spec/a/k${at}` }));
  expect(reasonFor([fill, ...doubling])).toMatch(/^patch exceeds carried values: 801 > 800$/);
});

test("limits moves of a large value", () => {
  const fill = { op: "add", path: "/spec/b", value: "x".repeat(50_000) };
  const moves = Array.from({ length: 99 }, (_, at) =>
    at % 2 === 0 ? { op: "move", from: "/spec/b", path: "/spec/c" } : { op: "move", from: "/spec/c", path: "/spec/b" },
  );
  expect(reasonFor([fill, ...moves])).toBe("patch exceeds carried bytes: 150006 > 131072");
});

test("limits copies of a map with many members", () => {
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, 0]));
  const copies = Array.from({ length: 2 }, () => ({ op: "copy", from: "/spec/b", path: "/spec/c" }));
  expect(reasonFor([{ op: "add", path: "/spec/b", value: wide }, ...copies])).toBe(
    "patch exceeds carried values: 801 > 800",
  );
});

test("rejects a patch with too many values before reading it", () => {
  const wide = Array.from({ length: 5000 }, () => 0);
  expect(one({ op: "add", path: "/spec/b", value: wide })).toMatch(/^patch exceeds values: [0-9]+ > 4000$/);
});

test("the identity of the object cannot change", () => {
  for (const operation of [
    { op: "remove", path: "/spec" },
    { op: "add", path: "/data", value: {} },
    { op: "move", from: "/spec", path: "/data" },
  ]) {
    expect(one(operation)).toBe("patch changes the identity of the object");
  }
});

// biome-ignore format: a list
const pieces = [
  "/spec", "/data", "/metadata", "/labels", "/annotations", "/name", "/a", "/x", "/list", "/0", "/-", "~", "~1",
  "/status", "/uid",
];
const ours = ["/metadata/labels/platform.kubevirt.io~1managed-by", "/metadata/annotations/platform.kubevirt.io~1mode"];
const prototypes = [
  "/spec/__proto__",
  "/spec/a/__proto__",
  "/spec/__proto__/polluted",
  "/spec/constructor",
  "/spec/a/constructor/prototype",
];
const plain = [
  "/spec/a",
  "/spec/a/x",
  "/spec/b",
  "/spec/list/0",
  "/spec/list/-",
  "/metadata/labels/a",
  "/metadata/annotations/a",
];
const hostilePath = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 4 }).map((parts) => parts.join("")),
  fc.constantFrom(...ours, ...prototypes),
  fc.constantFrom(...plain),
);
const hostileValue = fc.constantFrom(
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"uid":"x"}',
  '"x"',
  nested(30),
  "1",
  "[]",
  `"${"x".repeat(3000)}"`,
);
const hostileOperation = fc
  .record({
    op: fc.constantFrom("add", "replace", "test", "remove", "move", "copy", "Add", "__proto__"),
    path: hostilePath,
    from: hostilePath,
    value: hostileValue,
  })
  .map(({ op, path, from, value }) => `{"op":"${op}","path":"${path}","from":"${from}","value":${value}}`);
const hostileText = fc.oneof(
  fc.array(hostileOperation, { maxLength: 3 }).map((operations) => `[${operations.join(",")}]`),
  fc.string({ unit: fc.constantFrom(...Array.from('[]{},:"\\'), '{"op":"add"', "1e999", "null"), maxLength: 12 }),
);

test("no patch changes the identity, baseline or a prototype, or exceeds the size", () => {
  const before = structuredClone(baseline);
  const law = fc.property(hostileText, (text) => {
    const patched = applyPatch(baseline, text);
    if ("polluted" in {} || "polluted" in [] || !equalJson(baseline, before)) return false;
    if (patched.kind === "refused")
      return /^(?:invalid patch|patch (?:exceeds|path|from|changes)|operation [0-9])/.test(patched.reason);
    const { spec: _, ...rest } = patched.object;
    const { spec: __, ...restBefore } = withoutOpenMetadata(before);
    const isSame = equalJson(withoutOpenMetadata(rest), restBefore) && hasPlainPrototypes(patched.object);
    return isSame && jsonBytesOf(patched.object) <= 524_288;
  });
  fc.assert(law);
});

// A patch may change labels and annotations outside our prefix.
function withoutOpenMetadata(object: KubeObject): KubeObject {
  const { labels, annotations, ...metadata } = object.metadata;
  const own = (map: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(map).filter(([key]) => key.startsWith("platform.kubevirt.io/")));
  return { ...object, metadata: { ...metadata, labels: own(labels), annotations: own(annotations) } };
}

function hasPlainPrototypes(value: Json): boolean {
  if (isList(value)) return value.every(hasPlainPrototypes);
  return (
    !isMap(value) ||
    (Object.getPrototypeOf(value) === Object.prototype &&
      entriesOf(value).every(([, part]) => hasPlainPrototypes(part)))
  );
}
