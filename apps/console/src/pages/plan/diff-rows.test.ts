import { type DiffLine, readDiff } from "@virt/views";
import fc from "fast-check";
import { expect, test } from "vitest";
import { foldRows, pairLines, unifyLines } from "./diff-rows.ts";

const anyLines = fc.array(
  fc.record({ kind: fc.constantFrom("context" as const, "added" as const, "removed" as const), text: fc.string() }),
);

function linesOf(rows: ReturnType<typeof pairLines>): readonly DiffLine[] {
  return [...new Set(rows.flatMap(({ left, right }) => [left, right].filter((line) => line !== undefined)))];
}

test("shows every line, removed lines left and added lines right", () => {
  fc.assert(
    fc.property(anyLines, (lines) => {
      expect(linesOf(unifyLines(lines))).toEqual(lines);
      const pairs = pairLines(lines);
      expect(new Set(linesOf(pairs))).toEqual(new Set(lines));
      for (const { left, right } of pairs) {
        expect(left?.kind).not.toBe("added");
        expect(right?.kind).not.toBe("removed");
      }
    }),
  );
});

test("folding keeps all rows in order and hides no change", () => {
  fc.assert(
    fc.property(anyLines, (lines) => {
      const rows = unifyLines(lines);
      const blocks = foldRows(rows);
      expect(blocks.flatMap((block) => block.rows)).toEqual(rows);
      const folded = blocks.filter(({ isFolded }) => isFolded).flatMap((block) => block.rows);
      expect(folded.every(({ left, right }) => left === right)).toBe(true);
    }),
  );
});

test("pairs a changed line with its previous text", () => {
  const diff = readDiff("--- a (Kind)\n+++ a (Kind)\n@@ -1,3 +1,3 @@\n same\n-old\n+new\n");
  const [, changed] = pairLines(diff.hunks[0]?.lines ?? []);
  expect([changed?.left?.text, changed?.right?.text]).toEqual(["old", "new"]);
});
