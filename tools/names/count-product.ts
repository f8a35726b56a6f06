import { ambiguousNames, exportedNames, isProduct } from "./exported-names.ts";

export type SourceFile = { readonly file: string; readonly text: string };

export type ProductCounts = {
  readonly files: number;
  readonly medianLines: number;
  readonly ninetiethLines: number;
  readonly exportedNames: number;
  readonly ambiguousNames: number;
  readonly lines: number;
};

export function countProduct(all: readonly SourceFile[]): ProductCounts {
  const files = all.filter(({ file }) => isProduct(file));
  const lengths = files.map(({ text }) => text.split("\n").length - 1).toSorted((left, right) => left - right);
  const names = files.flatMap(({ file, text }) => exportedNames(file, text));
  return {
    files: files.length,
    medianLines: percentile(lengths, 50),
    ninetiethLines: percentile(lengths, 90),
    exportedNames: names.length,
    ambiguousNames: ambiguousNames(names).length,
    lines: lengths.reduce((sum, length) => sum + length, 0),
  };
}

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}

const labels: Readonly<Record<keyof ProductCounts, string>> = {
  files: "product files",
  medianLines: "lines of a file, median",
  ninetiethLines: "lines of a file, ninetieth percentile",
  exportedNames: "exported names",
  ambiguousNames: "names with two meanings",
  lines: "product lines",
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
