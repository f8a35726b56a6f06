import { expect, test } from "vitest";
import { readObjects } from "./preview.ts";

const namesIn = (text: string) => {
  const read = readObjects(text);
  return read.kind === "refused" ? read.reason : read.objects.map(({ metadata }) => metadata.name);
};
const object = (name: string) => `{apiVersion: v1, kind: A, metadata: {name: ${name}}}`;

const cases = [
  { reason: "an empty file has none", text: "", found: [] },
  { reason: "documents are read in order, empty ones skipped", text: `${object("a")}\n---\n---\n${object("b")}\n`, found: ["a", "b"] }, // biome-ignore format: one line each
  { reason: "JSON is read", text: '{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}', found: ["a"] },
  {
    reason: "a List is what it holds",
    text: `{kind: List, items: [${object("a")}, ${object("b")}]}`,
    found: ["a", "b"],
  },
  { reason: "so is a list of a kind", text: `{kind: NodeList, items: [${object("a")}]}`, found: ["a"] },
  { reason: "an object of a kind that ends in List is one", text: "{apiVersion: v1, kind: AllowList, metadata: {name: a}}", found: ["a"] }, // biome-ignore format: one line each
  { reason: "a text is no object", text: "hello", found: "object 1 must have apiVersion, kind and metadata.name" },
  { reason: "nor is one without a name", text: `${object("a")}\n---\n{apiVersion: v1, kind: A}`, found: "object 2 must have apiVersion, kind and metadata.name" }, // biome-ignore format: one line each
];

test.each(cases)("$reason", ({ text, found }) => {
  expect(namesIn(text)).toEqual(found);
});

test("what is not YAML is refused in one line", () => {
  expect(namesIn("a: [")).toMatch(/^not YAML: [^\n]+$/);
  expect(namesIn("a: &x [1]\nb: *x")).toMatch(/^not YAML: /);
});
