import fc from "fast-check";
import { CORE_SCHEMA, load, mergeTag, YAML11_SCHEMA } from "js-yaml";
import { expect, test } from "vitest";
import { equalJson, type Json } from "../json/json.ts";
import { writeYaml } from "./yaml.ts";

const schemas = { "YAML 1.2": CORE_SCHEMA, "YAML 1.1": YAML11_SCHEMA.withTags(mergeTag) };

const cases: readonly { reason: string; value: Json; text: string }[] = [
  {
    reason: "keys are sorted by bytes",
    value: { b: 1, a: 2, "\u{1f600}": 3, "\uffee": 4 },
    text: "a: 2\nb: 1\n\uffee: 4\n\u{1f600}: 3\n",
  },
  {
    reason: "a map is indented by two, a list not at all",
    value: { a: { b: [1, "x"] } },
    text: "a:\n  b:\n  - 1\n  - x\n",
  },
  {
    reason: "what is empty is written in one line",
    value: { a: {}, b: [], c: null, d: "" },
    text: 'a: {}\nb: []\nc: null\nd: ""\n',
  },
  { reason: "an undefined member is absent", value: { a: undefined, b: { c: undefined } }, text: "b: {}\n" },
  {
    reason: "a map in a list begins on the dash",
    value: [{ b: { c: 1 }, a: [2] }],
    text: "- a:\n  - 2\n  b:\n    c: 1\n",
  },
  { reason: "a list in a list begins on the dash", value: [[1, [2]], []], text: "- - 1\n  - - 2\n- []\n" },
  { reason: "a text with newlines is a literal block", value: { a: "x\n\n  y\n" }, text: "a: |\n  x\n\n    y\n" },
  { reason: "a text without final newline says so", value: ["x\ny"], text: "- |-\n  x\n  y\n" },
  {
    reason: "a text with more final newlines keeps them",
    value: { a: "x\n\n\n", b: 1 },
    text: "a: |+\n  x\n\n\nb: 1\n",
  },
  { reason: "a text of newlines alone is kept", value: { a: "\n" }, text: "a: |+\n\n" },
  {
    reason: "a first line with a space has its indentation named",
    value: { a: "  x\ny" },
    text: "a: |2-\n    x\n  y\n",
  },
  { reason: "a line that ends in blanks shows them in quotes", value: { a: "x \ny" }, text: 'a: "x \\ny"\n' },
  { reason: "a tab is a control character", value: { a: "x\ty\n" }, text: 'a: "x\\ty\\n"\n' },
  { reason: "a key with a newline is quoted", value: { "a\nb": 1 }, text: '"a\\nb": 1\n' },
  {
    reason: "a long text is never folded",
    value: { a: `${"word ".repeat(100)}end` },
    text: `a: ${"word ".repeat(100)}end\n`,
  },
  {
    reason: "a key too long for one line is an explicit key",
    value: { [`k${"x".repeat(1024)}`]: { a: [1] } },
    text: `? k${"x".repeat(1024)}\n:\n  a:\n  - 1\n`,
  },
  {
    reason: "a key called __proto__ is a key",
    value: JSON.parse('{"__proto__":{"a":1}}') as Json,
    text: "__proto__:\n  a: 1\n",
  },
  {
    reason: "a great number has the dot that YAML 1.1 wants",
    value: [1e21, 1.5e-7, 1e20, -0],
    text: "- 1.0e+21\n- 1.5e-7\n- 100000000000000000000\n- 0\n",
  },
];

test.each(cases)("$reason", ({ value, text }) => {
  expect(writeYaml(value)).toBe(text);
});

test("a number that JSON cannot hold is refused", () => {
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
