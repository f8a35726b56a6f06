import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { CORE_SCHEMA, load, mergeTag, YAML11_SCHEMA } from "js-yaml";
import { expect, test } from "vitest";
import { writeText } from "./yaml.ts";

const schemas = [CORE_SCHEMA, YAML11_SCHEMA.withTags(mergeTag)];

// biome-ignore format: a list
const plain = [
  "a", "a b", "a:b", "a#b", "-a", "?a", ":a", "--a", "a-", "=a", "3.2.0", "v1", "1Gi", "10:70", "psi=1", "0o8",
  "-0o7", "yEs", "é\u{1f600}", "a'b", "\u00a0", "e9", "2020-1-1", "https://x/y?z=1",
];
// biome-ignore format: a list
const double = [
  "", "true", "yes", "on", "No", "y", "null", "~", "1", "1e3", "0x1f", "0o17", "0b1", "1_000", "12:30", ".5", ".inf",
  "-.INF", ".nan", "2020-01-01", "2025-12-18T21:13:17Z", "=", "<<", " a", "a ", "\t", "a\rb", "\u0085", "\u2028",
  "\ufeff", "\u0000", "\uffff", "\ud800",
];
// biome-ignore format: a list
const single = [
  "- a", "-", "?", ": a", "a: b", "a:", "a #b", "#a", "*a", "&a", "!a", "|", ">", "'a'", '"a"', "%a", "@a", "`a",
  "[a", "]", "{a", "}", ",a", "---", "--- a", "...",
];

test("writes a text plain if both versions read it back", () => {
  for (const text of plain) expect(writeText(text)).toBe(text);
});

test("double-quotes texts of other types and invisible characters", () => {
  for (const text of double) expect(writeText(text)).toMatch(/^"[\x20-\x7e]*"$/);
});

test("single-quotes texts that only an indicator prevents from being plain", () => {
  for (const text of single) expect(writeText(text)).toBe(`'${text.replaceAll("'", "''")}'`);
});

test("quotes exactly the spellings that a version reads as another type", () => {
  const spellings = (word: string): readonly string[] => {
    const [first = "", ...rest] = Array.from(word);
    if (first === "") return [""];
    return spellings(rest.join("")).flatMap((end) =>
      [...new Set([first, first.toUpperCase()])].map((sign) => sign + end),
    );
  };
  // biome-ignore format: a list
  const words = [
    "y", "n", "yes", "no", "on", "off", "true", "false", "null", ".inf", "-.inf", "+.inf", ".nan", "-.nan", "~",
  ];
  const wrong = words.flatMap(spellings).filter((text) => (writeText(text) === text) !== isReadBackPlain(text));
  expect(wrong).toEqual([]);
});

test("writes a text plain if and only if all versions read it back", () => {
  const line = fc.string({
    unit: fc.constantFrom(...Array.from("ab 019:#-?'\"[{,&*!|>%@`~._ex+T")),
    minLength: 1,
    maxLength: 5,
  });
  // Numbers according to the specification. js-yaml requires digits and limits the exponent.
  const unclear = /^[-+]?(?:\.[_0-9]*(?:e[-+]?[0-9]+)?|0[xb]?_+|[0-9.]+e[-+]?[0-9]{3,})$/;
  const law = fc.property(line, (text) => {
    const isPlain = writeText(text) === text;
    return isPlain === isReadBackPlain(text) || unclear.test(text);
  });
  fc.assert(law);
});

function isReadBackPlain(text: string): boolean {
  const places: readonly (readonly [string, unknown])[] = [
    [text, text],
    [`- ${text}`, [text]],
    [`k: ${text}`, { k: text }],
    [`${text}: 1`, { [text]: 1 }],
  ];
  return places.every(([yaml, value]) => schemas.every((schema) => isRead(yaml, schema, value)));
}

function isRead(yaml: string, schema: typeof CORE_SCHEMA, value: unknown): boolean {
  try {
    return isDeepStrictEqual(load(`${yaml}\n`, { schema }), value);
  } catch {
    return false;
  }
}
