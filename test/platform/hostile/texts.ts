// Patches with an invalid text: no JSON, no array, no operations, or duplicate members.

import { type HostilePatch, malformed } from "./hostile-patch.ts";

const notJson = [
  "[",
  "]",
  "[{]",
  "[{}",
  "[,]",
  "[{},]",
  "{'op':'remove'}",
  "- op: remove\n  path: /spec",
  "[{op:'remove'}]",
  "[NaN]",
  "[undefined]",
  "[// comment\n]",
  "[]]",
  "[] []",
  "\ufeff[]x",
  '["\u0000"]',
  '[{"op":"remove","path":"/spec/a"}',
  "remove /spec",
];
const notAnArray = ["null", "true", "1", '"text"', "{}", '{"op":"remove","path":"/spec/a"}', '{"length":0}'];
const notOperations = [
  "[null]",
  "[1]",
  '["remove"]',
  "[[]]",
  "[true]",
  "[{}]",
  '[{"path":"/spec/a"}]',
  '[{"op":"add"}]',
  '[{"op":"add","path":"/spec/a"}]',
  '[{"op":"copy","path":"/spec/a"}]',
  '[{"op":"move","path":"/spec/a"}]',
  '[{"op":"test","path":"/spec/a"}]',
];
const ops = ["Add", "ADD", " add", "add ", "merge", "delete", "", "__proto__", "constructor", "toString", "a\\u0000dd"];
const wrongTypes = ["null", "1", "true", "{}", "[]", '["/spec/a"]'];
const doubled = [
  '"op":"add","op":"remove","path":"/spec/a"',
  '"op":"remove","path":"/spec/a","path":"/metadata/name"',
  '"op":"remove","path":"/spec/a","\\u0070ath":"/metadata/name"',
  '"op":"remove","\\u006fp":"add","path":"/spec/a","value":1',
  '"op":"copy","from":"/spec/a","from":"/metadata","path":"/spec/b"',
  '"op":"add","path":"/spec/a","value":1,"value":2',
  '"op":"add","path":"/spec/a","value":{"b":1,"b":2}',
  '"op":"add","path":"/spec/a","value":[[{"b":{"c":1,"\\u0063":2}}]]',
  '"op":"add","path":"/spec/a","value":1,"other":1,"other":2',
];

export function hostileTexts(): readonly HostilePatch[] {
  const all = (tries: string, texts: readonly string[]): readonly HostilePatch[] =>
    texts.map((text) => ({ tries, text, refusal: malformed }));
  const member = (name: "op" | "path" | "from", value: string) =>
    `[{${Object.entries({ op: '"move"', path: '"/spec/a"', from: '"/spec/b"', [name]: value })
      .map(([key, text]) => `"${key}":${text}`)
      .join(",")}}]`;
  return [
    ...all("not JSON", notJson),
    ...all("not an array", notAnArray),
    ...all("not operations", notOperations),
    ...all(
      "unknown operations",
      ops.map((op) => `[{"op":"${op}","path":"/spec/a","value":1}]`),
    ),
    ...(["op", "path", "from"] as const).flatMap((name) =>
      all(
        "members of other types",
        wrongTypes.map((value) => member(name, value)),
      ),
    ),
    ...all(
      "duplicate keys",
      doubled.map((members) => `[{${members}}]`),
    ),
  ];
}
