import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { staleFiles, writeFiles } from "./files.ts";

test("written files are stale if a text changes or a file is superfluous", () => {
  const root = mkdtempSync(join(tmpdir(), "files-test-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const first = { folders: ["out"], texts: { "out/a.yaml": "a\n", "out/deep/b.yaml": "b\n", "beside.txt": "c\n" } };
  expect(staleFiles(first, root)).toEqual(Object.keys(first.texts));
  writeFiles(first, root);
  expect(staleFiles(first, root)).toEqual([]);

  const next = { folders: ["out"], texts: { "out/a.yaml": "other\n" } };
  expect(staleFiles(next, root)).toEqual(["out/a.yaml", "out/deep/b.yaml"]);
  writeFiles(next, root);
  expect(staleFiles(next, root)).toEqual([]);
  expect(readdirSync(root)).toEqual(["beside.txt", "out"]);
  expect(readFileSync(join(root, "out/a.yaml"), "utf8")).toBe("other\n");
});
