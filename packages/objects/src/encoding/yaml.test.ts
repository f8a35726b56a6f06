import fc from "fast-check";
import { CORE_SCHEMA, load, mergeTag, YAML11_SCHEMA } from "js-yaml";
import { expect, test } from "vitest";
import { equalJson, type Json } from "../json/json.ts";
import { writeYaml } from "./yaml.ts";

const schemas = { "YAML 1.2": CORE_SCHEMA, "YAML 1.1": YAML11_SCHEMA.withTags(mergeTag) };

const cases: readonly (readonly [reason: string, value: Json, text: string])[] = [
  ["sorts keys by bytes", { b: 1, a: 2, "\u{1f600}": 3, "\uffee": 4 }, "a: 2\nb: 1\n\uffee: 4\n\u{1f600}: 3\n"],
  ["indents maps by two, and lists not at all", { a: { b: [1, "x"] } }, "a:\n  b:\n  - 1\n  - x\n"],
  ["writes empty values in one line", { a: {}, b: [], c: null, d: "" }, 'a: {}\nb: []\nc: null\nd: ""\n'],
  ["omits an undefined member", { a: undefined, b: { c: undefined } }, "b: {}\n"],
  ["a map in a list begins on the dash", [{ b: { c: 1 }, a: [2] }], "- a:\n  - 2\n  b:\n    c: 1\n"],
  ["a list in a list begins on the dash", [[1, [2]], []], "- - 1\n  - - 2\n- []\n"],
  ["writes a text with line breaks as a literal block", { a: "x\n\n  y\n" }, "a: |\n  x\n\n    y\n"],
  ["marks a text without a final line break", ["x\ny"], "- |-\n  x\n  y\n"],
  ["keeps several final line breaks", { a: "x\n\n\n", b: 1 }, "a: |+\n  x\n\n\nb: 1\n"],
  ["keeps a text of only line breaks", { a: "\n" }, "a: |+\n\n"],
  ["states the indentation if the first line begins with a space", { a: "  x\ny" }, "a: |2-\n    x\n  y\n"],
  ["quotes a text with trailing spaces", { a: "x \ny" }, 'a: "x \\ny"\n'],
  ["quotes a tab", { a: "x\ty\n" }, 'a: "x\\ty\\n"\n'],
  ["quotes a key with a line break", { "a\nb": 1 }, '"a\\nb": 1\n'],
  ["does not fold a long text", { a: `${"word ".repeat(100)}end` }, `a: ${"word ".repeat(100)}end\n`],
  [
    "writes a key that is too long for one line as an explicit key",
    { [`k${"x".repeat(1024)}`]: { a: [1] } },
    `? k${"x".repeat(1024)}\n:\n  a:\n  - 1\n`,
  ],
  ["writes a key called __proto__", JSON.parse('{"__proto__":{"a":1}}') as Json, "__proto__:\n  a: 1\n"],
  [
    "writes a large number with a dot for YAML 1.1",
    [1e21, 1.5e-7, 1e20, -0],
    "- 1.0e+21\n- 1.5e-7\n- 100000000000000000000\n- 0\n",
  ],
];

test.each(cases)("%s", (_reason, value, text) => {
  expect(writeYaml(value)).toBe(text);
});

test("rejects a number that JSON does not have", () => {
  expect(() => writeYaml([Number.NaN])).toThrow("NaN is not a JSON number");
});

// biome-ignore format: a list
const words = [
  "yes", "null", "0x", "1_0", "12:30", "2020-01-01", "---", ".inf", "<<", "\u0085", "\u2028", "\ufeff", "\u{1f600}",
];
const signs = Array.from("\n\n a1.:#-?_e+~=\t\r\0'\"[]{},&*!|>%@`\\");
const anyText = fc.string({ unit: fc.constantFrom(...words, ...signs), maxLength: 5 });
const leaf = fc.oneof(
  anyText,
  fc.string({ maxLength: 4 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(null, true, false),
);
const { json: anyJson } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, depthIdentifier: "yaml" },
    leaf,
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(anyText, fc.constantFrom("__proto__", "a")), tie("json"), { maxKeys: 3 }),
  ),
}));

test.each(Object.entries(schemas))("%s reads every value back", (_, schema) => {
  const law = fc.property(anyJson, (given) => {
    return equalJson(load(writeYaml(given), { schema }) as Json, given);
  });
  fc.assert(law);
});
