import type { Json, JsonMap, KubeObject } from "@virt/api";
import { canonicalJson, type Shape, type ShapeOf } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeParts } from "./merge-parts.ts";

const shapes: Readonly<Record<string, Shape>> = {
  "spec.keyed": { kind: "map", keys: ["id"] },
  "spec.set": { kind: "set" },
  "spec.whole": { kind: "atomic" },
};
const shapeOf: ShapeOf = (names) => (Object.hasOwn(shapes, names.join(".")) ? shapes[names.join(".")] : undefined);

const objectOf = (spec: JsonMap): KubeObject => ({ apiVersion: "v1", kind: "A", metadata: { name: "a" }, spec });
const parts = (...specs: readonly JsonMap[]) =>
  specs.map((spec, at) => ({ asset: `asset-${at}`, object: objectOf(spec) }));

type Case = {
  reason: string;
  specs: readonly JsonMap[];
  spec: JsonMap;
  conflicts?: readonly (readonly [string, string])[];
};

const cases: readonly Case[] = [
  { reason: "one part is the object", specs: [{ a: 1 }], spec: { a: 1 } },
  { reason: "merges maps", specs: [{ a: { b: 1 } }, { a: { c: 2 }, d: 3 }], spec: { a: { b: 1, c: 2 }, d: 3 } },
  { reason: "accepts equal values", specs: [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }], spec: { a: [1, { b: 2 }] } },
  {
    reason: "rejects different values",
    specs: [{ a: 1 }, { a: 2, b: 3 }],
    spec: { a: 1 },
    conflicts: [["asset-1", "/spec/a"]],
  },
  {
    reason: "rejects different lists",
    specs: [{ a: [1] }, { a: [2] }],
    spec: { a: [1] },
    conflicts: [["asset-1", "/spec/a"]],
  },
  {
    reason: "rejects a map and a value",
    specs: [{ a: {} }, { a: 1 }],
    spec: { a: {} },
    conflicts: [["asset-1", "/spec/a"]],
  },
  {
    reason: "a yielding part is omitted alone",
    specs: [{ a: 1 }, { a: 2 }, { b: 3 }],
    spec: { a: 1, b: 3 },
    conflicts: [["asset-1", "/spec/a"]],
  },
  {
    reason: "an atomic map is one value",
    specs: [{ whole: { a: 1 } }, { whole: { b: 1 } }],
    spec: { whole: { a: 1 } },
    conflicts: [["asset-1", "/spec/whole"]],
  },
  {
    reason: "merges keyed lists by key",
    specs: [{ keyed: [{ id: "b", x: 1 }] }, { keyed: [{ id: "b", y: 2 }, { id: "a" }] }],
    spec: { keyed: [{ id: "a" }, { id: "b", x: 1, y: 2 }] },
  },
  {
    reason: "rejects different values in an element",
    specs: [{ keyed: [{ id: "b", x: 1 }] }, { keyed: [{ id: "b", x: 2 }] }],
    spec: { keyed: [{ id: "b", x: 1 }] },
    conflicts: [["asset-1", "/spec/keyed/[]/x"]],
  },
  {
    reason: "keeps the order of a list in one part",
    specs: [{ keyed: [{ id: "b" }, { id: "a" }] }, { a: 1 }],
    spec: { a: 1, keyed: [{ id: "b" }, { id: "a" }] },
  },
  { reason: "unites sets", specs: [{ set: ["b"] }, { set: ["a", "b"] }], spec: { set: ["a", "b"] } },
  {
    reason: "prototypes are plain members",
    specs: [JSON.parse('{"__proto__": {"a": 1}}') as JsonMap, { b: 1 }],
    spec: JSON.parse('{"__proto__": {"a": 1}, "b": 1}') as JsonMap,
  },
];

test.each(cases)("$reason", ({ specs, spec, conflicts = [] }) => {
  const merged = mergeParts(parts(...specs), shapeOf);
  expect(merged.object).toEqual(objectOf(spec));
  expect(merged.conflicts).toEqual(conflicts.map(([asset, path]) => ({ asset, path })));
});

test("without parts there is no object", () => {
  expect(mergeParts([], shapeOf)).toEqual({ object: undefined, conflicts: [] });
});

test("parts of two API versions do not merge", () => {
  const other = { asset: "b", object: { ...objectOf({}), apiVersion: "v2" } };
  expect(mergeParts([...parts({}), other], shapeOf).conflicts).toEqual([{ asset: "b", path: "/apiVersion" }]);
});

const value: fc.Arbitrary<Json> = fc.constantFrom<Json>(1, "x", [1, 2], { y: 1 });
const spec = fc.dictionary(
  fc.constantFrom("a", "b", "c"),
  fc.oneof(value, fc.dictionary(fc.constantFrom("d", "e"), value)),
);
const lists = fc.record(
  {
    keyed: fc.uniqueArray(fc.record({ id: fc.constantFrom("p", "q", "r") }), { selector: ({ id }) => id }),
    set: fc.uniqueArray(fc.constantFrom("s", "t", "u")),
  },
  { requiredKeys: [] },
);
const anyParts = fc.array(fc.tuple(spec, lists), { minLength: 1, maxLength: 4, size: "max" });

test("parts that agree merge in any order without loss", () => {
  const law = fc.property(anyParts, fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), (given, ranks) => {
    const ordered = parts(...given.map(([one, more]) => ({ ...one, ...more })));
    const shuffled = ordered
      .map((part, at) => ({ part, rank: ranks[at] ?? 0 }))
      .toSorted((left, right) => left.rank - right.rank)
      .map(({ part }) => part);
    const [left, right] = [ordered, shuffled].map((each) => mergeParts(each, shapeOf));
    if (left?.conflicts.length !== 0 || left.object === undefined) return true;
    const isOnce = ordered.every(
      (part) => mergeParts([{ asset: "all", object: left.object as KubeObject }, part], shapeOf).conflicts.length === 0,
    );
    const same =
      right?.conflicts.length === 0 &&
      right.object !== undefined &&
      canonicalJson(left.object) === canonicalJson(right.object);
    return isOnce && same;
  });
  fc.assert(law, runsForCost(8));
});

test("a conflicting part changes nothing", () => {
  const law = fc.property(anyParts, (given) => {
    const all = parts(...given.map(([one]) => one));
    const { object, conflicts } = mergeParts(all, shapeOf);
    const losers = new Set(conflicts.map(({ asset }) => asset));
    const winners = mergeParts(
      all.filter(({ asset }) => !losers.has(asset)),
      shapeOf,
    );
    return winners.conflicts.length === 0 && JSON.stringify(winners.object) === JSON.stringify(object);
  });
  fc.assert(law, runsForCost(8));
});
