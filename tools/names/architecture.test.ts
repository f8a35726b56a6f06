// ARCHITECTURE.md against the sources: it is short, what it names exists, and its two walks are as short as they say.

import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { SourceFile } from "./count-product.ts";
import { isProduct } from "./exported-names.ts";
import { readSources } from "./read-sources.ts";

const page = readFileSync("ARCHITECTURE.md", "utf8");
const sources = readSources().filter(({ file }) => !/\.test\.ts$|\/testing\//.test(file));
const product = sources.filter(({ file }) => isProduct(file));

/** `Worker.#run` is a member of what is declared in the same file; a name without an owner is a function, or else anything. */
function declares({ text }: SourceFile, name: string, mayBeMember = true): boolean {
  const [owner, member] = name.includes(".") ? name.split(".") : [undefined, name];
  const isOwner = owner === undefined || new RegExp(`\\b(?:class|type|interface) ${owner}\\b`).test(text);
  const asMember = `|\\b(?:class|type|interface|const|readonly) ${member}\\b|^\\s+(?:async )?${member}(?:\\(|: )`;
  const isDeclared = new RegExp(`\\bfunction\\*? ${member}\\b${mayBeMember ? asMember : ""}`, "m");
  return isOwner && isDeclared.test(text);
}

/** Functions are meant rather than members of the same name. */
function filesOf(name: string): readonly string[] {
  const functions = product.filter((source) => declares(source, name, false));
  const found = functions.length > 0 ? functions : product.filter((source) => declares(source, name));
  return found.map(({ file }) => file);
}

test("the page has at most 130 lines", () => {
  expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(130);
});

test("every file and folder that it names exists", () => {
  const files = globSync(["{apps,packages,catalog,test,tools,config}/**/*.{ts,json}", "*.{ts,json}"]);
  const named = [...page.matchAll(/`([\w./-]+\.(?:ts|json))`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
  const folders = [...page.matchAll(/`((?:apps|packages|catalog|config|test|tools|docs)\/[\w./-]+)`/g)];
  expect(folders.map(([, name = ""]) => name).filter((name) => !existsSync(name))).toEqual([]);
});

test("every function, class and type that it names is declared in the sources", () => {
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

describe.each([
  { walk: "One item of an approved plan", other: "apps/operator/src/platform/" },
  { walk: "One drift", other: "apps/operator/src/advisor/" },
])("$walk", ({ walk, other }) => {
  const start = page.indexOf(`${walk}, from the informer's event`);
  const steps = page
    .slice(page.indexOf(": ", start), page.indexOf("applies.", start))
    .split("→")
    .map((step) => [...step.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  const files = steps.map(([name = "", file]) =>
    filesOf(name).filter((each) => !each.startsWith(other) && (file === undefined || `/${each}`.endsWith(`/${file}`))),
  );

  test("each step is one function in one file", () => {
    expect(files.map((found, at) => [steps[at]?.[0], found.length])).toEqual(steps.map(([name]) => [name, 1]));
  });

  test("it visits as many files as it says, at most twelve, and none twice", () => {
    const said = Number(/to the write, (\d+) files/.exec(page.slice(start))?.[1]);
    expect(said).toBeLessThanOrEqual(12);
    expect(files).toHaveLength(said);
    expect(new Set(files.flat()).size).toBe(said);
  });
});
