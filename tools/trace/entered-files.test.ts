import { expect, test } from "vitest";
import { enteredFiles, type ScriptCoverage, traceReport } from "./entered-files.ts";

const root = "file:///tree/";
const script = (path: string, ...calls: readonly (readonly [string, number, number])[]): ScriptCoverage => ({
  url: root + path,
  functions: calls.map(([functionName, startOffset, count]) => ({ functionName, ranges: [{ startOffset, count }] })),
});

test("lists the product files in which a function was called", () => {
  const scripts = [
    script("packages/kube/src/b.ts", ["", 0, 1], ["called", 10, 2], ["idle", 20, 0]),
    script("apps/operator/src/a.ts", ["", 7, 1]),
  ];
  expect(enteredFiles(scripts, root)).toEqual([
    { file: "apps/operator/src/a.ts", functions: [""] },
    { file: "packages/kube/src/b.ts", functions: ["called"] },
  ]);
});

test("skips files that were only loaded, and files outside the product", () => {
  const scripts = [
    script("packages/kube/src/loaded.ts", ["", 0, 1]),
    script("node_modules/x/src/y.ts", ["called", 5, 1]),
    { ...script("x", ["called", 5, 1]), url: "node:internal/timers" },
  ];
  expect(enteredFiles(scripts, root)).toEqual([]);
});

test("the report counts each part, and names the functions if asked", () => {
  const entered = enteredFiles([script("catalog/assets/a.ts", ["f", 3, 1], ["f", 9, 1])], root);
  expect(traceReport("one drift", entered, false)).toContain("one drift: 1 files entered");
  expect(traceReport("one drift", entered, true)).toContain("  catalog: 1\n    catalog/assets/a.ts: f\n");
});
