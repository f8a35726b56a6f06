import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SourceFile } from "./count-product.ts";
import { readSources } from "./read-sources.ts";

const page = readFileSync("ARCHITECTURE.md", "utf8");
const sources = readSources().filter(({ file }) => !/\.test\.ts$|\/testing\//.test(file));

function declares({ text }: SourceFile, name: string): boolean {
  const [owner, member] = name.includes(".") ? name.split(".") : [undefined, name];
  const isOwner = owner === undefined || new RegExp(`\\b(?:class|type|interface) ${owner}\\b`).test(text);
  const asMember = `|\\b(?:class|type|interface|const|readonly) ${member}\\b|^\\s+(?:async )?${member}(?:\\(|: )`;
  return isOwner && new RegExp(`\\bfunction\\*? ${member}\\b${asMember}`, "m").test(text);
}

test("the page has at most 130 lines", () => {
  expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(130);
});

test("every file and folder in the page exists", () => {
  const files = globSync(["{apps,packages,catalog,test,tools,config}/**/*.{ts,json}", "*.{ts,json}"]);
  const named = [...page.matchAll(/`([\w./-]+\.(?:ts|json))`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
  const folders = [...page.matchAll(/`((?:apps|packages|catalog|config|test|tools|docs)\/[\w./-]+)`/g)];
  expect(folders.map(([, name = ""]) => name).filter((name) => !existsSync(name))).toEqual([]);
});

test("the sources declare every name in the page", () => {
  const diagrams = [...page.matchAll(/```mermaid\n(.*?)```/gs)].map(([, text = ""]) => text);
  expect(diagrams).toHaveLength(2);
  const inDiagrams = diagrams.flatMap((text) => text.match(/\b(?:[A-Z]\w+\.)?[a-z]+(?:[A-Z]\w*|(?<=\.\w+))\b/g) ?? []);
  const inText = [
    ...page.matchAll(/`((?:[A-Z]\w+\.)?#?[a-z]\w*[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]\w+\.#?\w+)(?:\(\))?`/g),
  ];
  const named = [...inDiagrams, ...inText.map(([, name = ""]) => name)].filter((name) => name !== "sequenceDiagram");
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !sources.some((source) => declares(source, name)))).toEqual([]);
});
