// Reduces V8's coverage to the product files in which a function was called, grouped by part of the product.

export type FunctionCoverage = {
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
};
export type ScriptCoverage = { readonly url: string; readonly functions: readonly FunctionCoverage[] };

export type EnteredFile = { readonly file: string; readonly functions: readonly string[] };

const product = /^(packages|apps)\/[^/]+\/src\/|^catalog\//;

/** `root` is the URL of the repository with a slash. The function at offset 0 is the module's evaluation. */
export function enteredFiles(scripts: readonly ScriptCoverage[], root: string): readonly EnteredFile[] {
  return scripts
    .filter(({ url }) => url.startsWith(root) && product.test(url.slice(root.length)))
    .map(({ url, functions }) => ({
      file: url.slice(root.length),
      functions: functions
        .filter(({ ranges: [range] }) => range !== undefined && range.startOffset > 0 && range.count > 0)
        .map(({ functionName }) => functionName),
    }))
    .filter(({ functions }) => functions.length > 0)
    .toSorted((left, right) => (left.file < right.file ? -1 : 1));
}

const parts = {
  "Kubernetes runtime": /^packages\/kube\//,
  "I/O of the controllers": /^(apps\/operator|packages\/reads)\//,
  decisions: /^packages\/(advisor|platform|impact|cluster)\//,
  catalog: /^catalog\//,
  "API types and objects as data": /^packages\/(api|objects)\//,
};

/** Lists the files of each part, and with `isDetailed` the functions that were called. */
export function traceReport(title: string, entered: readonly EnteredFile[], isDetailed: boolean): string {
  const groups = Object.entries(parts).map(([part, pattern]) => {
    const files = entered.filter(({ file }) => pattern.test(file));
    const lines = files.map(({ file, functions }) => {
      const names = functions.map((name) => name || "(anonymous)");
      return `    ${file}${isDetailed ? `: ${[...new Set(names)].join(", ")}` : ""}`;
    });
    return [`  ${part}: ${files.length}`, ...lines].join("\n");
  });
  return `${title}: ${entered.length} files entered\n${groups.join("\n")}\n`;
}
