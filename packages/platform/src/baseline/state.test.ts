import type { KubeObject } from "@virt/api";
import { utf8Length } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { objectAnnotations } from "../hco-annotations.ts";
import { type ObjectState, readState, writeState } from "./state.ts";

const carrying = (text: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing", annotations: { [objectAnnotations.state]: text } },
});
const nothingKnown = readState(undefined);

const full: ObjectState = {
  created: true,
  fields: { swap: ["/spec/a", "/spec/b~1c"] },
  released: ["/spec/d"],
  patch: "0123456789ab",
  fights: { "/spec/a|kubectl": [1_700_000_000_000, 1_700_000_001_500] },
  paused: { field: "/spec/a", by: '"kubectl" (Update)', count: 5, at: "2026-01-01T00:00:00Z" },
  recreated: [1_700_000_002_000],
  inputWrite: { at: 1_700_000_003_000, decisions: "0123456789ab", version: "1.2.3" },
};

test("writes the state as specified", () => {
  expect(JSON.parse(writeState(full))).toEqual({
    v: 1,
    created: true,
    fields: { swap: ["/spec/a", "/spec/b~1c"] },
    released: ["/spec/d"],
    patch: "0123456789ab",
    fights: { "/spec/a|kubectl": ["2023-11-14T22:13:20Z", "2023-11-14T22:13:21.500Z"] },
    paused: { field: "/spec/a", by: '"kubectl" (Update)', count: 5, at: "2026-01-01T00:00:00Z" },
    recreated: ["2023-11-14T22:13:22Z"],
    inputWrite: { at: "2023-11-14T22:13:23Z", decisions: "0123456789ab", version: "1.2.3" },
  });
});

test("omits empty members", () => expect(writeState(nothingKnown)).toBe('{"v":1}'));

const unreadable: readonly { reason: string; text: string }[] = [
  { reason: "not JSON", text: "{" },
  { reason: "not a map", text: "[1]" },
  { reason: "empty", text: "" },
  { reason: "another version", text: '{"v":2,"created":true}' },
  { reason: "without a version", text: '{"created":true}' },
  { reason: "with a version in the prototype", text: '{"__proto__":{"v":1},"created":true}' },
  { reason: "too large", text: `{"v":1,"created":true,"patch":"${"x".repeat(16_384)}"}` },
  { reason: "too deep", text: `{"v":1,"created":true,"fields":${"[".repeat(9000)}` },
  {
    reason: "with members of the wrong type",
    text: '{"v":1,"created":"yes","fields":[],"released":{},"patch":5,"fights":7,"paused":"x","recreated":"y"}',
  },
  { reason: "with invalid times", text: '{"v":1,"recreated":["yesterday",5,null]}' },
  {
    reason: "with an incomplete pause",
    text: '{"v":1,"paused":{"field":"/spec/a","by":"x","at":"2026-01-01T00:00:00Z"}}',
  },
];

test.each(unreadable)("a state that is $reason reads as empty", ({ text }) => {
  expect(readState(carrying(text))).toEqual(nothingKnown);
});

test("names of prototypes are plain names", () => {
  const text =
    '{"v":1,"fields":{"__proto__":["/spec/a"],"constructor":["/spec/b"]},"fights":{"__proto__":["2026-01-01T00:00:00Z"]}}';
  const { fields, fights } = readState(carrying(text));
  expect(Object.keys(fields)).toEqual(["__proto__", "constructor"]);
  expect(Object.keys(fights)).toEqual(["__proto__"]);
  expect(({} as Record<string, unknown>)["/spec/a"]).toBeUndefined();
  expect(JSON.parse(writeState(readState(carrying(text))))).toEqual(JSON.parse(text));
});

test("reads a complete pause", () => {
  expect(readState(carrying(writeState(full))).paused).toEqual(full.paused);
});

const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
const times = fc.array(time, { maxLength: 6 }).map((all) => all.toSorted((left, right) => left - right));
const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "a|b", "/spec/a|x"));
const texts = fc.array(fc.string(), { maxLength: 5 });
const anyState: fc.Arbitrary<ObjectState> = fc.record({
  created: fc.boolean(),
  fields: fc.dictionary(name, texts, { maxKeys: 4 }),
  released: texts,
  patch: fc.option(fc.string(), { nil: undefined }),
  fights: fc.dictionary(
    name,
    times.filter((all) => all.length > 0),
    { maxKeys: 5 },
  ),
  paused: fc.option(
    fc.record({ field: fc.string(), by: fc.string(), count: fc.nat(9), at: fc.constant("2026-01-01T00:00:00Z") }),
    { nil: undefined },
  ),
  recreated: times,
  inputWrite: fc.option(fc.record({ at: time, decisions: fc.string(), version: fc.string() }), { nil: undefined }),
});

test("reads back what it writes", () => {
  const law = fc.property(anyState, (state) => {
    expect(readState(carrying(writeState(state)))).toEqual(state);
  });
  fc.assert(law);
});

test("stays below 16 KiB and keeps the newest edit wars", () => {
  const long = fc.array(fc.tuple(fc.string({ minLength: 40, maxLength: 300 }), time), {
    minLength: 40,
    maxLength: 120,
    size: "max",
  });
  const law = fc.property(long, (all) => {
    const fights = Object.fromEntries(all.map(([key, at]) => [key, [at]]));
    const text = writeState({ ...full, fights });
    expect(utf8Length(text)).toBeLessThanOrEqual(16_384);
    const read = readState(carrying(text));
    expect(read.paused).toEqual(full.paused);
    const gone = Object.keys(fights).filter((key) => !Object.hasOwn(read.fights, key));
    const oldestKept = Math.min(...Object.values(read.fights).map(([at = 0]) => at));
    expect(gone.every((key) => (fights[key]?.[0] ?? 0) <= oldestKept)).toBe(true);
  });
  fc.assert(law, runsForCost(64));
});

test("hostile text does not throw", () => {
  const law = fc.property(
    fc.oneof(
      fc.json(),
      fc.string(),
      fc.json().map((inner) => `{"v":1,"fields":${inner},"fights":${inner},"paused":${inner}}`),
    ),
    (text) => {
      const state = readState(carrying(text));
      expect(readState(carrying(writeState(state))).fields).toEqual(state.fields);
    },
  );
  fc.assert(law);
});
