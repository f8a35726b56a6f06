// Tests that only managedFields are removed from responses.

import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutOwners } from "./watch-source.ts";

const owners = [{ manager: "kubelet", fieldsV1: { 'k:{"type":"Ready"}': { ".": {} }, 'v:"]}\\"': {} } }];
const line = (object: unknown) => JSON.stringify({ type: "ADDED", object });

const cases = [
  {
    reason: "removes managed fields from a watch event",
    text: line({ kind: "Node", metadata: { name: "a", managedFields: owners, labels: { b: "c" } }, spec: {} }),
    left: line({ kind: "Node", metadata: { name: "a", managedFields: [], labels: { b: "c" } }, spec: {} }),
  },
  {
    reason: "removes managed fields as the last member",
    text: line({ metadata: { name: "a", managedFields: owners } }),
    left: line({ metadata: { name: "a", managedFields: [] } }),
  },
  { reason: "keeps managed fields of a nested object", text: line({ spec: { metadata: { managedFields: owners } } }) },
  { reason: "keeps a label with this name", text: line({ metadata: { labels: { managedFields: "x" } } }) },
  { reason: "keeps managed fields that are not a list", text: line({ metadata: { managedFields: { a: 1 } } }) },
  { reason: "keeps texts that contain the name", text: line({ metadata: { a: '"managedFields":[1]', b: "\\" } }) },
  { reason: "keeps a text with spaces", text: '{"object": {"metadata": {"managedFields": [1]}}}' },
  { reason: "keeps a truncated text", text: '{"object":{"metadata":{"managedFields":[{"a":"]' },
  { reason: "keeps a text that is not JSON", text: "managedFields" },
];

test.each(cases)("$reason", ({ text, left = text }) => {
  expect(withoutOwners(text, ["object"])).toBe(left);
});

const name = fc.oneof(
  fc.constantFrom("metadata", "managedFields", "object", "__proto__"),
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.string({ unit: fc.constantFrom('"', "\\", "[", "}", ",", ":"), maxLength: 5 }),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthIdentifier: "owners", withCrossShrink: true },
    name,
    fc.constantFrom(null, true, -1.5e300),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(name, tie("json"), { maxKeys: 4 }),
  ),
}));
const object = fc.record({ a: json, metadata: fc.record({ b: json, managedFields: json, c: json }), d: json });

test("removes only the managed fields of any object", () => {
  const law = fc.property(object, (given) => {
    const left = Array.isArray(given.metadata.managedFields) ? [] : given.metadata.managedFields;
    const expected = JSON.stringify({ ...given, metadata: { ...given.metadata, managedFields: left } });
    expect(withoutOwners(JSON.stringify(given), [])).toBe(expected);
  });
  fc.assert(law);
});
