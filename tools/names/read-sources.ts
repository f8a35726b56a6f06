// Reads the files of the working tree whose names and words are checked.

import { globSync, readFileSync } from "node:fs";
import type { SourceFile } from "./count-product.ts";

/** TypeScript of the packages, the apps and the catalog, tests and test support included. */
export function readSources(): readonly SourceFile[] {
  return read(["packages/*/src/**/*.ts", "apps/*/src/**/*.{ts,tsx}", "catalog/**/*.ts"]);
}

/** TypeScript that ships in nothing: benchmarks, tools, and the tests of promises. */
export function readSupport(): readonly SourceFile[] {
  return read(["bench/**/*.ts", "tools/**/*.ts", "test/**/*.ts"]);
}

/** What people read: pages, and the commands of the Makefile. */
export function readDocuments(): readonly SourceFile[] {
  return read(["*.md", "docs/**/*.md", "apps/*/*.md", "packages/*/*.md", "config/**/*.md", "Makefile"]);
}

function read(patterns: readonly string[]): readonly SourceFile[] {
  return globSync(patterns)
    .filter((file) => !file.includes("node_modules/"))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(file, "utf8") }));
}
