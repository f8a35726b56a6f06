import type { KubeObject } from "@virt/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { equalJson, type Json } from "../json/json.ts";
import { fieldSet } from "./field-set.ts";
import { keepOnly, leaveOut, maskFields } from "./mask.ts";
import {
  leafPaths,
  type Path,
  type Pointer,
  readPointer,
  type Shape,
  type ShapeOf,
  valueAt,
  writePath,
} from "./path.ts";

// spec.devices is a list with key id, spec.pairs a list with two keys, spec.tags a set, spec.whole an atomic map.
const shapes = new Map<string, Shape>([
  ["spec.devices", { kind: "map", keys: ["id"] }],
  ["spec.devices.[].parts", { kind: "map", keys: ["n"] }],
  ["spec.pairs", { kind: "map", keys: ["a", "b"] }],
  ["spec.tags", { kind: "set" }],
  ["spec.whole", { kind: "atomic" }],
]);
const shapeOf: ShapeOf = (path) => shapes.get(path.join("."));

const objectWith = (spec: Json): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing", labels: { a: "b" } },
  spec,
});

const pointer = (text: string): Pointer => {
  const read = readPointer(text);
  return read.kind === "pointer" ? read.pointer : [];
};

const intent = objectWith({
  a: { b: 1, c: { d: 2 } },
  list: [{ x: 1 }, { x: 2 }],
  devices: [
    { id: "p", v: 1, parts: [{ n: 1, w: 2 }] },
    { id: "q/~", v: 2 },
  ],
  pairs: [{ a: 1, b: "x", c: 3 }],
  tags: ["m", "n"],
  whole: { m: 1, n: 2 },
});

const cases: readonly (readonly [reason: string, pointers: readonly string[], released: readonly string[]])[] = [
  ["removes a field", ["/spec/a/b"], ["/spec/a/b"]],
  ["a parent covers its children", ["/spec/a/c/d", "/spec/a", "/spec/a/b"], ["/spec/a"]],
  ["releases a field once", ["/spec/a/b", "/spec/a/b"], ["/spec/a/b"]],
  [
    "ignores a pointer without a match",
    ["/spec/none", "/spec/a/b/c", "/data/x", "/spec/devices/9", "/spec/devices/id=none"],
    [],
  ],
  ["a pointer into an atomic list releases the list", ["/spec/list/0/x"], ["/spec/list"]],
  ["a pointer into an atomic map releases the map", ["/spec/whole/m"], ["/spec/whole"]],
  ["finds an element by its key", ["/spec/devices/id=p/v"], ["/spec/devices/id=p/v"]],
  ["decodes an escaped key", ["/spec/devices/id=q~1~0"], ["/spec/devices/id=q~1~0"]],
  [
    "finds an element by its position",
    ["/spec/devices/0", "/spec/devices/1/v"],
    ["/spec/devices/id=p", "/spec/devices/id=q~1~0/v"],
  ],
  ["finds an element in a nested list", ["/spec/devices/id=p/parts/n=1/w"], ["/spec/devices/id=p/parts/n=1/w"]],
  ["finds an element by two keys", ["/spec/pairs/a=1,b=x/c"], ["/spec/pairs/a=1,b=x/c"]],
  ["removes an element with its key", ["/spec/devices/id=p/id"], ["/spec/devices/id=p"]],
  [
    "finds an element of a set by position or value",
    ["/spec/tags/0", "/spec/tags/=n"],
    ["/spec/tags/=m", "/spec/tags/=n"],
  ],
  ["removes a label", ["/metadata/labels/a"], ["/metadata/labels/a"]],
];

test.each(cases)("%s", (_reason, pointers, released) => {
  const masked = maskFields(intent, pointers.map(pointer), shapeOf);
  expect(masked.released.map(writePath)).toEqual(released);
  for (const path of masked.released) expect(valueAt(masked.object, path)).toBeUndefined();
});

test("removes emptied parents, but no others", () => {
  const { object } = maskFields(
    objectWith({ a: { b: { c: 1 } }, tags: ["m"] }),
    [
      ["spec", "a", "b", "c"],
      ["spec", "tags", "0"],
    ],
    shapeOf,
  );
  expect(object["spec"]).toEqual({});
  expect(maskFields(objectWith({ a: {}, b: { c: {} } }), [["spec", "b", "c"]], shapeOf).object["spec"]).toEqual({
    a: {},
  });
});

test("a masked object has no prototype values", () => {
  const spec = JSON.parse('{"__proto__":{"x":1},"a":1}') as Json;
  expect(maskFields(objectWith(spec), [["spec", "a"]], shapeOf).object["spec"]).toEqual(
    JSON.parse('{"__proto__":{"x":1}}'),
  );
});

const leaf = fc.constantFrom<Json>(0, "x", {}, [], [1], { y: 1 });
const anySpec = fc.record(
  {
    a: fc.oneof(leaf, fc.dictionary(fc.constantFrom("b", "c"), leaf)),
    whole: fc.dictionary(fc.constantFrom("m", "n"), leaf, { minKeys: 1 }),
    devices: fc.uniqueArray(fc.record({ id: fc.constantFrom("p", "q", "0"), v: leaf }, { requiredKeys: ["id"] }), {
      selector: ({ id }) => id,
      maxLength: 3,
    }),
    tags: fc.uniqueArray(fc.constantFrom("m", "n"), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const anyPointer = fc
  .constantFrom(
    "/spec",
    "/spec/a",
    "/spec/a/b",
    "/spec/a/0",
    "/spec/whole/m",
    "/spec/devices",
    "/spec/devices/0",
    "/spec/devices/1/v",
    "/spec/devices/id=p",
    "/spec/devices/id=q/v/y",
    "/spec/devices/id=0/id",
    "/spec/tags/0",
    "/spec/tags/=n",
    "/metadata/labels/a",
    "/spec/none",
  )
  .map(pointer);
const anyPointers = fc.uniqueArray(anyPointer, { maxLength: 4 });

const isBelow = (path: Path, above: Path) => above.every((element, at) => element === path[at]);

test("removes exactly the released fields", () => {
  const law = fc.property(anySpec, anyPointers, (spec, pointers) => {
    const object = objectWith(JSON.parse(JSON.stringify(spec)) as Json);
    const masked = maskFields(object, pointers, shapeOf);
    const isGone = masked.released.every((path) => path.length === 1 || valueAt(masked.object, path) === undefined);
    const rest = leafPaths(object, shapeOf).filter((path) => !masked.released.some((above) => isBelow(path, above)));
    const isKept = rest.every((path) => equalJson(valueAt(masked.object, path), valueAt(object, path)));
    const isAll = leafPaths(masked.object, shapeOf).every(
      (path) => path.length === 1 || rest.some((other) => isBelow(other, path)),
    );
    return isGone && isKept && isAll && equalJson(leaveOut(masked.object, masked.released), masked.object);
  });
  fc.assert(law);
});

test("masking by names and keys is idempotent", () => {
  const named = anyPointers.map((pointers) => pointers.filter((each) => each.at(-1) !== "0" && !each.includes("1")));
  const law = fc.property(anySpec, named, (spec, pointers) => {
    const once = maskFields(objectWith(JSON.parse(JSON.stringify(spec)) as Json), pointers, shapeOf).object;
    return equalJson(maskFields(once, pointers, shapeOf).object, once);
  });
  fc.assert(law);
});

test("kept and removed fields split an object in two", () => {
  const law = fc.property(anySpec, fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }), (spec, choice) => {
    const object = objectWith(JSON.parse(JSON.stringify(spec)) as Json);
    const leaves = leafPaths(object, shapeOf);
    const chosen = leaves.filter((_, at) => choice[at % choice.length]);
    const [kept, rest] = [keepOnly(object, fieldSet(chosen)), leaveOut(object, chosen)];
    const isKept = chosen.every((path) => equalJson(valueAt(kept, path), valueAt(object, path)));
    const others = leaves.filter((path) => !chosen.includes(path));
    return (
      isKept &&
      others.every((path) => isKeyOf(path) || valueAt(kept, path) === undefined) &&
      others.every((path) => equalJson(valueAt(rest, path), valueAt(object, path)))
    );
  });
  fc.assert(law);
});

// An element always keeps its key.
const isKeyOf = (path: Path) => path.at(-1) === "f:id";
