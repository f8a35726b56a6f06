import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { asList, at, equalJson, type Json, member } from "./json.ts";

const hostile = JSON.parse('{"__proto__":{"x":1},"a":{"b":[1,2]}}') as Json;

test("an inherited name is not a member", () => {
  for (const name of ["constructor", "toString", "hasOwnProperty"]) expect(member({}, name)).toBeUndefined();
  expect(member({}, "__proto__")).toBeUndefined();
});

test("finds an own member called __proto__", () => {
  expect(at(hostile, "__proto__", "x")).toBe(1);
});

test("a path beyond a leaf finds nothing", () => {
  expect(at(hostile, "a", "b", "0")).toBeUndefined();
  expect(at("text", "length")).toBeUndefined();
  expect(at(undefined, "a")).toBeUndefined();
  expect(asList(at(hostile, "a", "b"))).toEqual([1, 2]);
});

test("a missing member equals an undefined one, but not null", () => {
  expect(equalJson({ a: undefined, b: 1 }, { b: 1 })).toBe(true);
  expect(equalJson({ a: null }, {})).toBe(false);
  expect(equalJson({}, [])).toBe(false);
  expect(equalJson({}, JSON.parse('{"__proto__":{}}') as Json)).toBe(false);
  expect(equalJson(JSON.parse('{"__proto__":{}}') as Json, { x: 1 })).toBe(false);
});

test("equality is the deep equality of Node", () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const law = fc.property(value, value, (left, right) => {
    return equalJson(left, right) === isDeepStrictEqual(left, right) && equalJson(left, structuredClone(left));
  });
  fc.assert(law);
});
