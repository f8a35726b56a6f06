import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "./read-json.ts";

const key = fc.string({ unit: fc.constantFrom("a", "\\", '"', "{", ":", "\n", "é"), maxLength: 6 });
const leaf = fc.oneof(
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(null, true, -0),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}));

test("reads every value back", () => {
  const law = fc.property(value, fc.constantFrom(undefined, 1, "\t"), (written, indent) => {
    const plain = JSON.stringify(written, undefined, indent);
    expect(JSON.stringify(readJson(plain), undefined, indent)).toBe(plain);
  });
  fc.assert(law);
});

test("a key with a backslash does not affect later keys", () => {
  readJson('{"h":[],"\\\\":0}');
  expect(Object.keys(readJson('{"h":1,"k:{\\"type\\":\\"Ready\\"}":2}') as object)).toEqual([
    "h",
    'k:{"type":"Ready"}',
  ]);
});

test("rejects invalid JSON, with or without a backslash in a key", () => {
  // biome-ignore format: a list
  const wrong = [
    '{"a":1,}', "[1,]", '{"a" 1}', "{a:1}", "01", "1.", "+1", "nul", '"\u0001"', '"\\x"', '{"a":1} x', "", "[",
    '{"a":', "[1 2]",
  ];
  for (const text of wrong) {
    expect(() => readJson(text)).toThrow(SyntaxError);
    expect(() => readJson(`{"\\\\":${text}}`)).toThrow(SyntaxError);
  }
});

test("reads a member called __proto__, and the last of equal members", () => {
  const read = readJson('{"\\\\":1,"__proto__":{"a":1},"b":1,"b":2}') as object;
  expect(Object.entries(read)).toEqual([
    ["\\", 1],
    ["__proto__", { a: 1 }],
    ["b", 2],
  ]);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});

test("rejects JSON that is too deep", () => {
  expect(() => readJson(`{"\\\\":${"[".repeat(100_000)}`)).toThrow("JSON is deeper than 1000 levels");
});
