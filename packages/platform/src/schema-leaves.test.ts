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
  { reason: "what is known stays", schema: { a: text }, given: { a: "x" }, kept: { a: "x" } },
  {
    reason: "what is not is left out",
    schema: { a: text },
    given: { a: "x", b: 1 },
    kept: { a: "x" },
    leftOut: ["/spec/b"],
  },
  {
    reason: "a map of which nothing is left goes too",
    schema: { a: text, limits: map({ total: text }) },
    given: { a: "x", limits: { node: 2 } },
    kept: { a: "x" },
    leftOut: ["/spec/limits/node"],
  },
  { reason: "a map that was empty stays", schema: { a: map({}) }, given: { a: {} }, kept: { a: {} } },
  {
    reason: "an open map takes everything",
    schema: { a: open },
    given: { a: { b: { c: [1] } } },
    kept: { a: { b: { c: [1] } } },
  },
  {
    reason: "an open map that knows some members too",
    schema: { a: { ...open, properties: { b: map({ c: text }) } } },
    given: { a: { b: { c: "x", d: 1 }, e: { f: 1 } } },
    kept: { a: { b: { c: "x" }, e: { f: 1 } } },
    leftOut: ["/spec/a/b/d"],
  },
  {
    reason: "a map of texts takes any key",
    schema: { a: { additionalProperties: text } },
    given: { a: { "b/c": "x" } },
    kept: { a: { "b/c": "x" } },
  },
  {
    reason: "a map of maps knows theirs",
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
    reason: "elements of lists are looked into",
    schema: { a: { type: "array", items: map({ b: text }) } },
    given: { a: [{ b: "x" }, { b: "y", c: 1 }] },
    kept: { a: [{ b: "x" }, { b: "y" }] },
    leftOut: ["/spec/a/1/c"],
  },
  {
    reason: "a list of which nothing is left goes too",
    schema: { a: { type: "array", items: map({ b: text }) }, z: text },
    given: { a: [{ c: 1 }], z: "x" },
    kept: { z: "x" },
    leftOut: ["/spec/a/0/c"],
  },
  {
    reason: "names that every object has are not known",
    schema: { a: text },
    given: { a: "x", constructor: 1 },
    kept: { a: "x" },
    leftOut: ["/spec/constructor"],
  },
];

test.each(cases)("$reason", ({ schema, given, kept, leftOut = [] }) => {
  expect(keepKnown(objectOf(given), schemaOf(schema))).toEqual({ object: objectOf(kept), leftOut });
});

test("identity and metadata are not the schema's to know", () => {
  const object = { ...objectOf({ a: "x" }), metadata: { name: "a", labels: { b: "c" } } };
  expect(keepKnown(object, schemaOf({ a: text })).object).toEqual(object);
});
