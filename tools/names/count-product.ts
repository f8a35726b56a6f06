import { ambiguousNames, exportedNames, isProduct } from "./exported-names.ts";

export type SourceFile = { readonly file: string; readonly text: string };

export type ProductCounts = {
  readonly packages: number;
  readonly files: number;
  readonly medianLines: number;
  readonly ninetiethLines: number;
  readonly exportedNames: number;
  readonly ambiguousNames: number;
  readonly lines: number;
  readonly codeLines: number;
  readonly commentLines: number;
  readonly testFiles: number;
  readonly testLines: number;
};

/** Sources of `packages`, `apps` and `catalog` are the product. Their tests, `test` and test support count as tests. */
export function countProduct(all: readonly SourceFile[]): ProductCounts {
  const files = all.filter(({ file }) => !file.startsWith("test/") && isProduct(file));
  const tests = all.filter(({ file }) => file.startsWith("test/") || !isProduct(file));
  const lengths = files.map(({ text }) => text.split("\n").length - 1).toSorted((left, right) => left - right);
  const names = files.flatMap(({ file, text }) => exportedNames(file, text));
  const kinds = sumKinds(files);
  return {
    packages: new Set(files.map(({ file }) => file.match(/^packages\/[^/]+/)?.[0]).filter(Boolean)).size,
    files: files.length,
    medianLines: percentile(lengths, 50),
    ninetiethLines: percentile(lengths, 90),
    exportedNames: names.length,
    ambiguousNames: ambiguousNames(names).length,
    lines: lengths.reduce((sum, length) => sum + length, 0),
    codeLines: kinds.code,
    commentLines: kinds.comment,
    testFiles: tests.length,
    testLines: sumKinds(tests).code,
  };
}

type Kinds = { readonly code: number; readonly comment: number };

function sumKinds(files: readonly SourceFile[]): Kinds {
  return files
    .map(({ text }) => kindsOf(text))
    .reduce<Kinds>((sum, { code, comment }) => ({ code: sum.code + code, comment: sum.comment + comment }), {
      code: 0,
      comment: 0,
    });
}

/** Counts lines with only a comment as comments. Skips blank lines. */
function kindsOf(text: string): Kinds {
  let [code, comment, inBlock] = [0, 0, false];
  for (const line of text.split("\n").map((whole) => whole.trim())) {
    if (line === "") continue;
    const starts = inBlock || line.startsWith("//") || line.startsWith("/*") || line.startsWith("{/*");
    if (starts) comment += 1;
    else code += 1;
    if (inBlock) inBlock = !line.includes("*/");
    else if (line.startsWith("/*") || line.startsWith("{/*")) inBlock = !line.includes("*/");
  }
  return { code, comment };
}

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}

const labels: Readonly<Record<keyof ProductCounts, string>> = {
  packages: "packages",
  files: "product files",
  medianLines: "lines of a file, median",
  ninetiethLines: "lines of a file, ninetieth percentile",
  exportedNames: "exported names",
  ambiguousNames: "names with two meanings",
  lines: "product lines",
  codeLines: "product lines of code",
  commentLines: "product lines of comments",
  testFiles: "test files",
  testLines: "test lines of code",
};

export function countsTable(columns: readonly { readonly title: string; readonly counts: ProductCounts }[]): string {
  const row = (label: string, cells: readonly string[]) =>
    label.padEnd(40) + cells.map((cell) => cell.padStart(14)).join("");
  const head = row(
    "",
    columns.map(({ title }) => title),
  );
  const rows = (Object.keys(labels) as readonly (keyof ProductCounts)[]).map((key) =>
    row(
      labels[key],
      columns.map(({ counts }) => `${counts[key]}`),
    ),
  );
  return [head, ...rows, ""].join("\n");
}
