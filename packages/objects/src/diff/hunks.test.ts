import fc from "fast-check";
import { expect, test } from "vitest";
import { type LineRun, matchLines, writeHunks } from "./unified-diff.ts";

// Generated with Python 3.11: difflib.SequenceMatcher(None, old, fresh, autojunk=False).get_grouped_opcodes(3). A
// letter is a line, and a bar ends a line of the diff.
const vectors: readonly { reason: string; old: string; fresh: string; hunks: string }[] = [
  {
    reason: "a changed line has three lines of context",
    old: "abcdefghij",
    fresh: "abcdXfghij",
    hunks: "@@ -2,7 +2,7 @@| b| c| d|-e|+X| f| g| h",
  },
  {
    reason: "six equal lines between two changes keep one hunk",
    old: "aXbcdefgYh",
    fresh: "aZbcdefgWh",
    hunks: "@@ -1,10 +1,10 @@| a|-X|+Z| b| c| d| e| f| g|-Y|+W| h",
  },
  {
    reason: "seven equal lines between two changes make two hunks",
    old: "aXbcdefghYi",
    fresh: "aZbcdefghWi",
    hunks: "@@ -1,5 +1,5 @@| a|-X|+Z| b| c| d|@@ -7,5 +7,5 @@| f| g| h|-Y|+W| i",
  },
  {
    reason: "the longest common run takes precedence over an earlier one",
    old: "abxyzq",
    fresh: "xyzab",
    hunks: "@@ -1,6 +1,5 @@|-a|-b| x| y| z|-q|+a|+b",
  },
  {
    reason: "of equal runs, the first in the old text is used",
    old: "abcd",
    fresh: "cdab",
    hunks: "@@ -1,4 +1,4 @@|+c|+d| a| b|-c|-d",
  },
  {
    reason: "of equal runs, the first in the new text is used",
    old: "ab",
    fresh: "xabyab",
    hunks: "@@ -1,2 +1,6 @@|+x| a| b|+y|+a|+b",
  },
  {
    reason: "repeated lines match in runs",
    old: "aaabaaa",
    fresh: "aabaaaa",
    hunks: "@@ -1,7 +1,7 @@|-a| a| a| b| a| a| a|+a",
  },
  { reason: "a removed start begins at line 1", old: "abcdef", fresh: "cdef", hunks: "@@ -1,5 +1,3 @@|-a|-b| c| d| e" },
  {
    reason: "an added end has context before it only",
    old: "abcd",
    fresh: "abcdef",
    hunks: "@@ -2,3 +2,5 @@| b| c| d|+e|+f",
  },
  {
    reason: "old lines of a replaced block come first",
    old: "abc",
    fresh: "xyz",
    hunks: "@@ -1,3 +1,3 @@|-a|-b|-c|+x|+y|+z",
  },
  { reason: "an empty old text begins at line 0", old: "", fresh: "ab", hunks: "@@ -0,0 +1,2 @@|+a|+b" },
  { reason: "an empty new text begins at line 0", old: "ab", fresh: "", hunks: "@@ -1,2 +0,0 @@|-a|-b" },
  {
    reason: "searches runs on both sides of the longest one",
    old: "abcabba",
    fresh: "cbabac",
    hunks: "@@ -1,7 +1,6 @@|+c|+b| a| b|+a| c|-a|-b|-b|-a",
  },
  { reason: "equal texts have no hunks", old: "abc", fresh: "abc", hunks: "" },
];

test.each(vectors)("$reason", ({ old, fresh, hunks }) => {
  expect(writeHunks(Array.from(old), Array.from(fresh)).join("|")).toBe(hunks);
});

const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 14 });

test("matches lines like difflib", () => {
  const law = fc.property(lines, lines, (old, fresh) => {
    const runs = matchLines(old, fresh).flatMap(({ old, fresh, length }) =>
      Array.from({ length }, (_, at) => `${old + at}=${fresh + at}`),
    );
    return runs.join() === byTheRule(old, fresh, { old: 0, fresh: 0 }).join();
  });
  fc.assert(law);
});

// Compares all pairs of lines by brute force.
function byTheRule(old: readonly string[], fresh: readonly string[], from: { old: number; fresh: number }): string[] {
  let best: LineRun = { old: 0, fresh: 0, length: 0 };
  old.forEach((_, i) => {
    fresh.forEach((_, j) => {
      let length = 0;
      while (i + length < old.length && j + length < fresh.length && old[i + length] === fresh[j + length]) length++;
      if (length > best.length) best = { old: i, fresh: j, length };
    });
  });
  if (best.length === 0) return [];
  const end = { old: best.old + best.length, fresh: best.fresh + best.length };
  return [
    ...byTheRule(old.slice(0, best.old), fresh.slice(0, best.fresh), from),
    ...Array.from({ length: best.length }, (_, at) => `${from.old + best.old + at}=${from.fresh + best.fresh + at}`),
    ...byTheRule(old.slice(end.old), fresh.slice(end.fresh), {
      old: from.old + end.old,
      fresh: from.fresh + end.fresh,
    }),
  ];
}

test("a slow text is matched in part, with a correct diff", () => {
  const old = Array.from({ length: 20_000 }, () => "x");
  const hunks = writeHunks(["first", ...old], [...old, "last"]);
  expect(hunks.filter((line) => line.startsWith("+"))).toHaveLength(20_001);
  expect(hunks.filter((line) => line.startsWith("-"))).toHaveLength(20_001);
});
