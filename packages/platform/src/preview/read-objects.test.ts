import { expect, test } from "vitest";
import { readObjects } from "./preview.ts";

const namesIn = (text: string) => {
  const read = readObjects(text);
  return read.kind === "refused" ? read.reason : read.objects.map(({ metadata }) => metadata.name);
};
const object = (name: string) => `{apiVersion: v1, kind: A, metadata: {name: ${name}}}`;

const cases = [
  { reason: "an empty file has no objects", text: "", found: [] },
  { reason: "reads documents in order and skips empty ones", text: `${object("a")}\n---\n---\n${object("b")}\n`, found: ["a", "b"] }, // biome-ignore format: one line each
  { reason: "reads JSON", text: '{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}', found: ["a"] },
  {
    reason: "reads the items of a List",
    text: `{kind: List, items: [${object("a")}, ${object("b")}]}`,
    found: ["a", "b"],
  },
  { reason: "reads the items of a typed list", text: `{kind: NodeList, items: [${object("a")}]}`, found: ["a"] },
  { reason: "reads a kind that ends in List as an object", text: "{apiVersion: v1, kind: AllowList, metadata: {name: a}}", found: ["a"] }, // biome-ignore format: one line each
  { reason: "rejects a text", text: "hello", found: "object 1 must have apiVersion, kind and metadata.name" },
  { reason: "rejects an object without a name", text: `${object("a")}\n---\n{apiVersion: v1, kind: A}`, found: "object 2 must have apiVersion, kind and metadata.name" }, // biome-ignore format: one line each
];

test.each(cases)("$reason", ({ text, found }) => {
  expect(namesIn(text)).toEqual(found);
});

test("rejects invalid YAML in one line", () => {
  expect(namesIn("a: [")).toMatch(/^not YAML: [^\n]+$/);
  expect(namesIn("a: &x [1]\nb: *x")).toMatch(/^not YAML: /);
});
