import { type Json, type JsonMap, member } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { patchFor } from "./object-writes.ts";
import { mergePatch } from "./testing/in-memory-simulation.ts";

const { fields } = fc.letrec<{ fields: JsonMap; value: Json }>((tie) => ({
  fields: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom<Json[]>(null, 1, "x", [], [1], {}), tie("fields")),
}));

const cases = [
  {
    reason: "sends nothing if the fields are up to date",
    live: { a: 1, b: { c: [1] } },
    wanted: { b: { c: [1] } },
    patch: undefined,
  },
  {
    reason: "sends only the differences",
    live: { a: 1, b: { c: 1, d: 2 } },
    wanted: { b: { c: 1, d: 3 } },
    patch: { b: { d: 3 } },
  },
  { reason: "sends a list as a whole", live: { a: [1, 2] }, wanted: { a: [1] }, patch: { a: [1] } },
  { reason: "null removes a field", live: { a: 1 }, wanted: { a: null }, patch: { a: null } },
  { reason: "sends nothing for null and a missing field", live: {}, wanted: { a: null }, patch: undefined },
];

test.each(cases)("$reason", ({ live, wanted, patch }) => {
  expect(patchFor(live, wanted)).toEqual(patch);
});

// An empty map in a write matches any existing map.
function holds(live: Json | undefined, wanted: JsonMap): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    const present = member(live, key);
    if (value === null || value === undefined) return present === undefined;
    if (typeof value !== "object" || Array.isArray(value)) return JSON.stringify(present) === JSON.stringify(value);
    return present !== undefined && holds(present, value as JsonMap);
  });
}

test("one patch fulfills a write", () => {
  const law = fc.property(fields, fields, (live, wanted) => {
    const patch = patchFor(live, wanted);
    const after = patch === undefined ? live : mergePatch(live, patch);
    return holds(mergePatch({}, after), wanted) && patchFor(mergePatch({}, after), wanted) === undefined;
  });
  fc.assert(law);
});
