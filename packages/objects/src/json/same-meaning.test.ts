import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameMeaning } from "../diff/drift.ts";
import type { Json } from "./json.ts";

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
