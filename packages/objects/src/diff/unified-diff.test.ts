import fc from "fast-check";
import { expect, test } from "vitest";
import { type LineRun, matchLines, writeHunks } from "./unified-diff.ts";

// Generated with Python 3.11: difflib.SequenceMatcher(None, old, fresh, autojunk=False).get_grouped_opcodes(3). A
// letter is a line, and a bar ends a line of the diff.
const vectors: readonly (readonly [reason: string, old: string, fresh: string, hunks: string])[] = [
  ["a changed line has three lines of context", "abcdefghij", "abcdXfghij", "@@ -2,7 +2,7 @@| b| c| d|-e|+X| f| g| h"],
  [
    "six equal lines between two changes keep one hunk",
    "aXbcdefgYh",
    "aZbcdefgWh",
    "@@ -1,10 +1,10 @@| a|-X|+Z| b| c| d| e| f| g|-Y|+W| h",
  ],
  [
    "seven equal lines between two changes make two hunks",
    "aXbcdefghYi",
    "aZbcdefghWi",
    "@@ -1,5 +1,5 @@| a|-X|+Z| b| c| d|@@ -7,5 +7,5 @@| f| g| h|-Y|+W| i",
  ],
  [
    "the longest common run takes precedence over an earlier one",
    "abxyzq",
    "xyzab",
    "@@ -1,6 +1,5 @@|-a|-b| x| y| z|-q|+a|+b",
  ],
  ["of equal runs, the first in the old text is used", "abcd", "cdab", "@@ -1,4 +1,4 @@|+c|+d| a| b|-c|-d"],
  ["of equal runs, the first in the new text is used", "ab", "xabyab", "@@ -1,2 +1,6 @@|+x| a| b|+y|+a|+b"],
  ["repeated lines match in runs", "aaabaaa", "aabaaaa", "@@ -1,7 +1,7 @@|-a| a| a| b| a| a| a|+a"],
  ["a removed start begins at line 1", "abcdef", "cdef", "@@ -1,5 +1,3 @@|-a|-b| c| d| e"],
  ["an added end has context before it only", "abcd", "abcdef", "@@ -2,3 +2,5 @@| b| c| d|+e|+f"],
  ["old lines of a replaced block come first", "abc", "xyz", "@@ -1,3 +1,3 @@|-a|-b|-c|+x|+y|+z"],
  ["an empty old text begins at line 0", "", "ab", "@@ -0,0 +1,2 @@|+a|+b"],
  ["an empty new text begins at line 0", "ab", "", "@@ -1,2 +0,0 @@|-a|-b"],
  [
    "searches runs on both sides of the longest one",
    "abcabba",
    "cbabac",
    "@@ -1,7 +1,6 @@|+c|+b| a| b|+a| c|-a|-b|-b|-a",
  ],
  ["equal texts have no hunks", "abc", "abc", ""],
];

test.each(vectors)("%s", (_reason, old, fresh, hunks) => {
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
