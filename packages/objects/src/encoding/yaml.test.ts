import fc from "fast-check";
import { CORE_SCHEMA, load, mergeTag, YAML11_SCHEMA } from "js-yaml";
import { expect, test } from "vitest";
import { equalJson, type Json } from "../json/json.ts";
import { writeYaml } from "./yaml.ts";

const schemas = { "YAML 1.2": CORE_SCHEMA, "YAML 1.1": YAML11_SCHEMA.withTags(mergeTag) };

const cases: readonly { reason: string; value: Json; text: string }[] = [
  {
    reason: "sorts keys by bytes",
    value: { b: 1, a: 2, "\u{1f600}": 3, "\uffee": 4 },
    text: "a: 2\nb: 1\n\uffee: 4\n\u{1f600}: 3\n",
  },
  {
    reason: "indents maps by two, and lists not at all",
    value: { a: { b: [1, "x"] } },
    text: "a:\n  b:\n  - 1\n  - x\n",
  },
  {
    reason: "writes empty values in one line",
    value: { a: {}, b: [], c: null, d: "" },
    text: 'a: {}\nb: []\nc: null\nd: ""\n',
  },
  { reason: "omits an undefined member", value: { a: undefined, b: { c: undefined } }, text: "b: {}\n" },
  {
    reason: "a map in a list begins on the dash",
    value: [{ b: { c: 1 }, a: [2] }],
    text: "- a:\n  - 2\n  b:\n    c: 1\n",
  },
  { reason: "a list in a list begins on the dash", value: [[1, [2]], []], text: "- - 1\n  - - 2\n- []\n" },
  {
    reason: "writes a text with line breaks as a literal block",
    value: { a: "x\n\n  y\n" },
    text: "a: |\n  x\n\n    y\n",
  },
  { reason: "marks a text without a final line break", value: ["x\ny"], text: "- |-\n  x\n  y\n" },
  {
    reason: "keeps several final line breaks",
    value: { a: "x\n\n\n", b: 1 },
    text: "a: |+\n  x\n\n\nb: 1\n",
  },
  { reason: "keeps a text of only line breaks", value: { a: "\n" }, text: "a: |+\n\n" },
  {
    reason: "states the indentation if the first line begins with a space",
    value: { a: "  x\ny" },
    text: "a: |2-\n    x\n  y\n",
  },
  { reason: "quotes a text with trailing spaces", value: { a: "x \ny" }, text: 'a: "x \\ny"\n' },
  { reason: "quotes a tab", value: { a: "x\ty\n" }, text: 'a: "x\\ty\\n"\n' },
  { reason: "quotes a key with a line break", value: { "a\nb": 1 }, text: '"a\\nb": 1\n' },
  {
    reason: "does not fold a long text",
    value: { a: `${"word ".repeat(100)}end` },
    text: `a: ${"word ".repeat(100)}end\n`,
  },
  {
    reason: "writes a key that is too long for one line as an explicit key",
    value: { [`k${"x".repeat(1024)}`]: { a: [1] } },
    text: `? k${"x".repeat(1024)}\n:\n  a:\n  - 1\n`,
  },
  {
    reason: "writes a key called __proto__",
    value: JSON.parse('{"__proto__":{"a":1}}') as Json,
    text: "__proto__:\n  a: 1\n",
  },
  {
    reason: "writes a large number with a dot for YAML 1.1",
    value: [1e21, 1.5e-7, 1e20, -0],
    text: "- 1.0e+21\n- 1.5e-7\n- 100000000000000000000\n- 0\n",
  },
];

test.each(cases)("$reason", ({ value, text }) => {
  expect(writeYaml(value)).toBe(text);
});

test("rejects a number that JSON does not have", () => {
  expect(() => writeYaml([Number.NaN])).toThrow("NaN is not a JSON number");
});

const words = [
  "yes",
  "null",
  "0x",
  "1_0",
  "12:30",
  "2020-01-01",
  "---",
  ".inf",
  "<<",
  "\u0085",
  "\u2028",
  "\ufeff",
  "\u{1f600}",
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
