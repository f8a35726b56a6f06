import { expect, test } from "vitest";
import { countProduct, countsTable } from "./count-product.ts";

const lines = (count: number, first = "") => `${first}\n${"\n".repeat(count - 1)}`;

test("counts the product apart from tests and their support", () => {
  const counts = countProduct([
    { file: "apps/a/src/one.ts", text: lines(10, "export type Thing = 1;") },
    { file: "apps/a/src/two.ts", text: lines(30, "export type Thing = 2;") },
    { file: "packages/b/src/three.ts", text: lines(200, "export const three = 3;") },
    { file: "packages/b/src/three.test.ts", text: lines(1_000) },
    { file: "packages/b/src/testing/four.ts", text: lines(1_000, "four();") },
    { file: "test/install/five.test.ts", text: lines(9, "five();") },
  ]);
  expect(counts).toEqual({
    packages: 1,
    files: 3,
    medianLines: 30,
    ninetiethLines: 200,
    exportedNames: 3,
    ambiguousNames: 1,
    lines: 240,
    codeLines: 3,
    commentLines: 0,
    testFiles: 3,
    testLines: 2,
  });
});

test("counts comments apart from code, and no blank lines", () => {
  const text = "// one\n\n/** two\n * three */\nconst a = 1; // code\n  {/* four */}\n/*\nfive\n*/\nconst b = 2;\n";
  expect(countProduct([{ file: "apps/a/src/one.ts", text }])).toMatchObject({
    codeLines: 2,
    commentLines: 7,
    lines: 10,
  });
});

test("counts no files as zero", () => {
  expect(countProduct([])).toMatchObject({ files: 0, medianLines: 0, ninetiethLines: 0, lines: 0 });
});

test("the table has a column for each tree", () => {
  const counts = countProduct([{ file: "apps/a/src/one.ts", text: lines(10) }]);
  const [head, files] = countsTable([
    { title: "before", counts: countProduct([]) },
    { title: "after", counts },
  ]).split("\n");
  expect(head?.trim().split(/\s+/)).toEqual(["before", "after"]);
  expect(files?.split(/\s{2,}/)).toEqual(["packages", "0", "0"]);
});
