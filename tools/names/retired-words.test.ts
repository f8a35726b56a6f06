import { expect, test } from "vitest";
import { readDocuments, readSources, readSupport } from "./read-sources.ts";
import { retiredNames, retiredWords } from "./retired-words.ts";

test("no file contains a retired word", () => {
  const code = [...readSources(), ...readSupport()];
  const folders = ["apps/", "packages/testkit/", "catalog/", "bench/", "tools/", "test/"];
  expect(folders.filter((folder) => !code.some(({ file }) => file.startsWith(folder)))).toEqual([]);
  const all = [...code, ...readDocuments()];
  expect(all.flatMap(({ file, text }) => retiredWords(file, text))).toEqual([]);
  expect(code.flatMap(({ file, text }) => retiredNames(file, text))).toEqual([]);
});

test("finds a name with a retired word in any declaration", () => {
  const text = [
    "const isTold = 1;",
    "async function untilLooked() {}",
    "type R = { readonly oldVerdict: 1 };",
    "  #tell() {}",
    "f((news) => news);",
    "g({ wish: 1 });",
  ].join("\n");
  expect(retiredNames("bench/a.ts", text)).toEqual([
    "bench/a.ts:1: isTold",
    "bench/a.ts:2: untilLooked",
    "bench/a.ts:3: oldVerdict",
    "bench/a.ts:4: tell",
    "bench/a.ts:5: news",
    "bench/a.ts:6: wish",
  ]);
  expect(retiredNames("test/storm-world.test.ts", "")).toEqual(["test/storm-world.test.ts:0: storm-world"]);
});

test("sentences and lookups have no retired names", () => {
  const text = '// The guide tells which; it looks like one.\nconst lookup = lookUp("it tells");\nconst outlook = 1;\n';
  expect(retiredNames("bench/a.ts", text)).toEqual([]);
});

test("only worked examples of the impact may be called worlds", () => {
  expect(retiredNames("packages/impact/src/testing/worlds.ts", "const world = 1;\nconst told = 1;")).toEqual([
    "packages/impact/src/testing/worlds.ts:2: told",
  ]);
  expect(retiredNames("packages/kube/src/a.ts", "const world = 1;")).toEqual(["packages/kube/src/a.ts:1: world"]);
});

test("reports a retired word with its line in code, comments and documents", () => {
  expect(retiredWords("a.ts", "// fine\n// each tenant\nbury();\n")).toEqual(["a.ts:2: tenant", "a.ts:3: bury"]);
  expect(retiredWords("docs/a.md", "Run `make judges` once.\n")).toEqual(["docs/a.md:1: make judges"]);
});

test("a common English word is retired only as the name of a type", () => {
  expect(retiredWords("a.ts", "type Told = string;\nexport type Seen<T> = T;\n")).toEqual([
    "a.ts:1: Told",
    "a.ts:2: Seen",
  ]);
  expect(retiredWords("a.ts", "// Told once. Seen twice.\ntype ToldText = 1;\n")).toEqual([]);
});

test("ignores a word within another one", () => {
  expect(retiredWords("a.ts", "process_resident_memory_bytes; multi-tenant; unburied\n")).toEqual([]);
});
