import type { KubeObject } from "@virt/api";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldSet } from "../fields/field-set.ts";
import { leaveOut } from "../fields/mask.ts";
import { fieldPath, leafPaths, noSchema, valueAt, writePath } from "../fields/path.ts";
import { equalJson, type Json } from "../json/json.ts";
import {
  type Change,
  contentChanges,
  describeChange,
  desiredChanges,
  isSameMeaning,
  ownedChanges,
  shortList,
} from "./drift.ts";

const objectWith = (spec: Json, rest: Record<string, Json> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing" },
  spec,
  ...rest,
});

const paths = (changes: readonly Change[]) => changes.map(({ path }) => writePath(path));

const cases: readonly (readonly [reason: string, desired: Json, live: Json, changed: readonly string[]])[] = [
  ["a member of another client is not a difference", { a: 1 }, { a: 1, b: 2 }, []],
  ["a changed value is a difference", { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, ["/spec/a/c"]],
  ["a missing value is a difference", { a: { b: null } }, { a: {} }, ["/spec/a/b"]],
  ["a list is compared as a whole", { a: [1, 2] }, { a: [1, 2, 3] }, ["/spec/a"]],
  ["numbers are compared by value", { a: 1.0 }, { a: 1 }, []],
  ["a number differs from its text", { a: 1 }, { a: "1" }, ["/spec/a"]],
  ["an empty map differs from a filled one", { a: {} }, { a: { b: 1 } }, ["/spec/a"]],
];

test.each(cases)("%s", (_reason, desired, live, changed) => {
  expect(paths(desiredChanges(objectWith(desired), objectWith(live)))).toEqual(changed);
});

test("compares labels, but not the identity of the object", () => {
  const desired = objectWith({}, { metadata: { name: "thing", labels: { a: "b" } } });
  const live = objectWith({}, { metadata: { name: "thing", uid: "x", resourceVersion: "7" }, status: { ready: true } });
  expect(paths(desiredChanges(desired, live))).toEqual(["/metadata/labels/a"]);
});

test("compares only owned fields with the answer", () => {
  const owned = fieldSet([fieldPath("spec", "a"), ["f:spec", "f:l", 'k:{"id":"p"}', "f:v"]]);
  const answer = objectWith({ a: 1, b: 1, l: [{ id: "o" }, { id: "p", v: 1 }] });
  expect(ownedChanges(owned, answer, objectWith({ a: 1, b: 2, l: [{ id: "p", v: 1, w: 2 }] }))).toEqual([]);
  const changes = ownedChanges(owned, answer, objectWith({ a: 2, l: [] }));
  expect(changes).toEqual([
    { path: fieldPath("spec", "a"), live: 2, desired: 1 },
    { path: ["f:spec", "f:l", 'k:{"id":"p"}', "f:v"], desired: 1 },
  ]);
});

test("compares a prediction in both directions, without status and server metadata", () => {
  const live = objectWith(
    { a: 1, b: { c: 1 } },
    { metadata: { name: "thing", resourceVersion: "1", annotations: { x: "y" } }, status: 1 },
  );
  const predicted = objectWith({ b: { c: 1, d: 2 } }, { metadata: { name: "thing", resourceVersion: "2" }, status: 2 });
  expect(paths(contentChanges(live, predicted))).toEqual(["/metadata/annotations/x", "/spec/a", "/spec/b/d"]);
});

const texts: readonly { reason: string; change: Change; text: string }[] = [
  {
    reason: "a change has the desired and the live value",
    change: { path: fieldPath("spec", "mode"), desired: "Automatic", live: "Predictive" },
    text: 'spec.mode ("Automatic" -> "Predictive")',
  },
  {
    reason: "a missing value is absent",
    change: { path: fieldPath("spec", "a"), desired: [1] },
    text: "spec.a ([1] -> absent)",
  },
  {
    reason: "a value of 60 characters is shown whole",
    change: { path: ["f:a"], desired: "x".repeat(58), live: 1 },
    text: `a ("${"x".repeat(58)}" -> 1)`,
  },
  {
    reason: "a longer value is cut between characters",
    change: { path: ["f:a"], desired: "\u{1f600}".repeat(60), live: 1 },
    text: `a ("${"\u{1f600}".repeat(59)}… -> 1)`,
  },
];

test.each(texts)("$reason", ({ change, text }) => {
  expect(describeChange(change)).toBe(text);
});

const leaf = fc.constantFrom<Json>(0, 1, "x", {}, [], [1], null);
const anyMap = fc.dictionary(
  fc.constantFrom("a", "b", "c"),
  fc.oneof(leaf, fc.dictionary(fc.constantFrom("x", "y"), leaf)),
);

test("reports every difference with both values, and no other", () => {
  const law = fc.property(anyMap, anyMap, (left, right) => {
    const [desired, live] = [objectWith(left), objectWith(right)];
    const changes = desiredChanges(desired, live);
    const isRight = changes.every(
      (change) => !equalJson(change.desired, change.live) && equalJson(valueAt(live, change.path), change.live),
    );
    const rest = leaveOut(
      desired,
      changes.map(({ path }) => path),
    );
    const isAll = desiredChanges(rest, live).every(({ path }) => path.length === 1);
    return isRight && isAll && desiredChanges(desired, desired).length === 0 && contentChanges(live, live).length === 0;
  });
  fc.assert(law);
});

test("reports all changes of owned fields, and none of others", () => {
  const law = fc.property(
    anyMap,
    anyMap,
    fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
    (before, after, choice) => {
      const [answer, live] = [objectWith(before), objectWith(after)];
      const owned = leafPaths(answer, noSchema).filter((_, at) => choice[at]);
      const expected = owned.filter((path) => !equalJson(valueAt(answer, path), valueAt(live, path)));
      return (
        paths(ownedChanges(fieldSet(owned), answer, live))
          .toSorted()
          .join() === expected.map(writePath).toSorted().join()
      );
    },
  );
  fc.assert(law);
});

const never = () => false;

test.each<[string, Json | undefined, Json | undefined]>([
  ["a duration in its long form", "5m", "5m0s"],
  ["a fraction of zero", "5s", "5.0s"],
  ["a sum of units", "1h30m", "90m"],
  ["a quantity in another unit", "1500m", "1.5"],
  ["a binary quantity", "1024Mi", "1Gi"],
  ["a number instead of a quantity", 2, "2"],
  ["an empty map that was dropped", {}, undefined],
  ["an empty text that was dropped", "", undefined],
  ["a list with such elements", ["60s", { cpu: 1 }], ["1m", { cpu: "1" }]],
])("%s is the same", (_, wanted, there) => expect(isSameMeaning(wanted, there, never)).toBe(true));

test.each<[string, Json | undefined, Json | undefined]>([
  ["another duration", "5m", "5s"],
  ["minutes instead of milli", "5m", "0.005s"],
  ["another percentage", "51%", "50%"],
  ["a text that begins with a number", "10.1.2.3", "10.1.2.30"],
  ["a false that was dropped", false, undefined],
  ["a zero that was dropped", 0, undefined],
  ["another boolean", true, false],
  ["an additional element", ["a"], ["a", "b"]],
  ["another order", ["a", "b"], ["b", "a"]],
  ["an additional member", { a: 1 }, { a: 1, b: 2 }],
  ["a missing member", { a: 1, b: 2 }, { a: 1 }],
  ["a text instead of a boolean", true, "true"],
])("%s is different", (_, wanted, there) => expect(isSameMeaning(wanted, there, never)).toBe(false));

test("ignores defaults of the schema at any place", () => {
  const isDefault = (names: readonly string[], value: Json) => names.join(".") === "[].protocol" && value === "TCP";
  expect(isSameMeaning([{ port: 1 }], [{ port: 1, protocol: "TCP" }], isDefault)).toBe(true);
  expect(isSameMeaning([{ port: 1 }], [{ port: 1, protocol: "UDP" }], isDefault)).toBe(false);
});

test("is reflexive and symmetric", () => {
  const law = fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
    const [one, other] = [left, right] as [Json, Json];
    return (
      isSameMeaning(one, structuredClone(one), never) &&
      isSameMeaning(one, other, never) === isSameMeaning(other, one, never)
    );
  });
  fc.assert(law, runsForCost(10));
});

test("shows three names and the number of others", () => {
  expect(shortList([])).toBe("");
  expect(shortList(["a"])).toBe("a");
  expect(shortList(["a", "b", "c"])).toBe("a, b, c");
  expect(shortList(["a", "b", "c", "d", "e"])).toBe("a, b, c and 2 more");
});
