import { globSync, readFileSync } from "node:fs";
import type { SourceFile } from "./count-product.ts";

export function readSources(): readonly SourceFile[] {
  return read(["packages/*/src/**/*.ts", "apps/*/src/**/*.{ts,tsx}", "catalog/**/*.ts"]);
}

/** Returns the TypeScript that is not shipped: benchmarks, tools and tests. */
export function readSupport(): readonly SourceFile[] {
  return read(["bench/**/*.ts", "tools/**/*.ts", "test/**/*.ts"]);
}

export function readDocuments(): readonly SourceFile[] {
  return read(["*.md", "docs/**/*.md", "apps/*/*.md", "packages/*/*.md", "config/**/*.md", "Makefile"]);
}

function read(patterns: readonly string[]): readonly SourceFile[] {
  return globSync(patterns)
    .filter((file) => !file.includes("node_modules/"))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(file, "utf8") }));
}
