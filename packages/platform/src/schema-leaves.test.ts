import type { JsonMap, KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { keepKnown } from "./baseline/schema.ts";

const objectOf = (spec: JsonMap): KubeObject => ({ apiVersion: "a/v1", kind: "A", metadata: { name: "a" }, spec });
const schemaOf = (properties: JsonMap): JsonMap => ({
  type: "object",
  properties: { spec: { type: "object", properties } },
});
const map = (properties: JsonMap): JsonMap => ({ type: "object", properties });
const text = { type: "string" };
const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

type Case = { reason: string; schema: JsonMap; given: JsonMap; kept: JsonMap; leftOut?: readonly string[] };

const cases: readonly Case[] = [
  { reason: "a known field stays", schema: { a: text }, given: { a: "x" }, kept: { a: "x" } },
  {
    reason: "an unknown field is omitted",
    schema: { a: text },
    given: { a: "x", b: 1 },
    kept: { a: "x" },
    leftOut: ["/spec/b"],
  },
  {
    reason: "a map that becomes empty is omitted",
    schema: { a: text, limits: map({ total: text }) },
    given: { a: "x", limits: { node: 2 } },
    kept: { a: "x" },
    leftOut: ["/spec/limits/node"],
  },
  { reason: "an empty map stays", schema: { a: map({}) }, given: { a: {} }, kept: { a: {} } },
  {
    reason: "an open map accepts everything",
    schema: { a: open },
    given: { a: { b: { c: [1] } } },
    kept: { a: { b: { c: [1] } } },
  },
  {
    reason: "an open map with properties accepts everything",
    schema: { a: { ...open, properties: { b: map({ c: text }) } } },
    given: { a: { b: { c: "x", d: 1 }, e: { f: 1 } } },
    kept: { a: { b: { c: "x" }, e: { f: 1 } } },
    leftOut: ["/spec/a/b/d"],
  },
  {
    reason: "a map of texts accepts any key",
    schema: { a: { additionalProperties: text } },
    given: { a: { "b/c": "x" } },
    kept: { a: { "b/c": "x" } },
  },
  {
    reason: "a map of maps checks their fields",
    schema: { a: { additionalProperties: map({ c: text }) } },
    given: { a: { b: { c: "x", d: 1 } } },
    kept: { a: { b: { c: "x" } } },
    leftOut: ["/spec/a/b/d"],
  },
  {
    reason: "a map of anything",
    schema: { a: { additionalProperties: true } },
    given: { a: { b: { c: 1 } } },
    kept: { a: { b: { c: 1 } } },
  },
  {
    reason: "checks elements of lists",
    schema: { a: { type: "array", items: map({ b: text }) } },
    given: { a: [{ b: "x" }, { b: "y", c: 1 }] },
    kept: { a: [{ b: "x" }, { b: "y" }] },
    leftOut: ["/spec/a/1/c"],
  },
  {
    reason: "a list that becomes empty is omitted",
    schema: { a: { type: "array", items: map({ b: text }) }, z: text },
    given: { a: [{ c: 1 }], z: "x" },
    kept: { z: "x" },
    leftOut: ["/spec/a/0/c"],
  },
  {
    reason: "inherited names are unknown",
    schema: { a: text },
    given: { a: "x", constructor: 1 },
    kept: { a: "x" },
    leftOut: ["/spec/constructor"],
  },
];

test.each(cases)("$reason", ({ schema, given, kept, leftOut = [] }) => {
  expect(keepKnown(objectOf(given), schemaOf(schema))).toEqual({ object: objectOf(kept), leftOut });
});

test("does not check identity and metadata", () => {
  const object = { ...objectOf({ a: "x" }), metadata: { name: "a", labels: { b: "c" } } };
  expect(keepKnown(object, schemaOf({ a: text })).object).toEqual(object);
});
