// Owners are taken out of any text that a server may send, and nothing else is.

import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutOwners } from "./without-owners.ts";

const owners = [{ manager: "kubelet", fieldsV1: { 'k:{"type":"Ready"}': { ".": {} }, 'v:"]}\\"': {} } }];
const line = (object: unknown) => JSON.stringify({ type: "ADDED", object });

const cases = [
  {
    reason: "they are taken out of a line of a watch",
    text: line({ kind: "Node", metadata: { name: "a", managedFields: owners, labels: { b: "c" } }, spec: {} }),
    left: line({ kind: "Node", metadata: { name: "a", managedFields: [], labels: { b: "c" } }, spec: {} }),
  },
  {
    reason: "they may be the last member",
    text: line({ metadata: { name: "a", managedFields: owners } }),
    left: line({ metadata: { name: "a", managedFields: [] } }),
  },
  { reason: "those of another object stay", text: line({ spec: { metadata: { managedFields: owners } } }) },
  { reason: "what only has their name stays", text: line({ metadata: { labels: { managedFields: "x" } } }) },
  { reason: "what is no list stays", text: line({ metadata: { managedFields: { a: 1 } } }) },
  { reason: "words like them in a text stay", text: line({ metadata: { a: '"managedFields":[1]', b: "\\" } }) },
  { reason: "text with spaces stays", text: '{"object": {"metadata": {"managedFields": [1]}}}' },
  { reason: "text that is cut stays", text: '{"object":{"metadata":{"managedFields":[{"a":"]' },
  { reason: "text that is no JSON stays", text: "managedFields" },
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

test("whatever an object looks like, it loses its list of owners and nothing else", () => {
  const law = fc.property(object, (given) => {
    const left = Array.isArray(given.metadata.managedFields) ? [] : given.metadata.managedFields;
    const expected = JSON.stringify({ ...given, metadata: { ...given.metadata, managedFields: left } });
    expect(withoutOwners(JSON.stringify(given), [])).toBe(expected);
  });
  fc.assert(law);
});
