import { describe, expect, test } from "vitest";
import { findPhrases } from "./find-phrases.ts";

const phrasesOf = (file: string, text: string) => findPhrases(file, text).map(({ phrase }) => phrase);

const planted: readonly (readonly [phrase: string, sentence: string])[] = [
  ["anew", "The plan is drafted anew."],
  ["once more", "The object is read once more."],
  ["Whoever", "Whoever approves it sees the hash."],
  ["nobody", "The write that nobody asked for."],
  ["somebody", "Until somebody helps."],
  ["mended", "The patch is mended."],
  ["put right", "The status is put right."],
  ["goes on", "Then the rollout goes on."],
  ["go on", "Let the nodes go on when the pool is released."],
  ["went on", "And the others went on."],
  ["by itself", "It starts by itself."],
  ["of its own accord", "It ends of its own accord."],
  ["is told", "The user is told why."],
  ["tells of", "The event tells of a loss."],
  ["what holds", "Shows what holds each pool."],
  ["nothing holds", "Now nothing holds it."],
  ["holds it up", "The cause that holds it up."],
  ["holds the rollout", "A VM holds the rollout."],
  ["is held", "The object is held until then."],
  ["on display", "The plan on display."],
  ["and the like", "Pods, jobs and the like."],
  ["so many", "The newest of so many sockets."],
  ["such a one", "For such a one there are two ways."],
  ["is no", "Text that is no JSON stays."],
  ["are no", "Defaults are no drift."],
  ["has no more", "The pool has no more nodes."],
  ["by chance", "One is chosen by chance."],
  ["input moved", "An input moved."],
  ["write goes", "The write goes at noon."],
  ["people who", "For people who patch it."],
];

describe("finds a phrase", () => {
  test.each(planted)("%s", (phrase, sentence) => {
    expect(phrasesOf("a.md", `A first line.\n${sentence}\n`)).toEqual([phrase]);
    expect(phrasesOf("a.ts", `const a = 1; // ${sentence}\n`)).toEqual([phrase]);
    expect(phrasesOf("a.test.ts", `test("${sentence}", () => {});\n`)).toEqual([phrase]);
    expect(phrasesOf("a.tsx", `  <Text>\n    ${sentence}\n  </Text>\n`)).toEqual([phrase]);
  });

  test("across a line break, and reports the first line with a replacement", () => {
    const found = [{ line: 2, phrase: "goes on", replacement: "continue" }];
    expect(findPhrases("a.ts", "\n// The rollout goes\n// on.\n")).toEqual(found);
    expect(findPhrases("a.ts", "\n/** It goes\n * on. */\n")).toEqual(found);
    expect(findPhrases("a.md", "\nThe rollout goes\non.\n")).toEqual(found);
  });

  test("in the right line of a template", () => {
    expect(findPhrases("a.ts", "const a = `one\ntwo ${b} anew`;\n")[0]?.line).toBe(2);
  });
});

test.each([
  "There is no pool, and no pool is no longer paused.",
  "The two are told apart. Turn it on by label.",
  "The lease is held by another replica.",
  "A pool that has no more than 2 nodes, once.",
])("accepts %s", (sentence) => {
  expect(phrasesOf("a.md", sentence)).toEqual([]);
});

test("names and words of code are not prose", () => {
  expect(phrasesOf("a.ts", 'const nobody = "anew";\nmend(nobody); // fixes it\n')).toEqual([]);
  expect(phrasesOf("a.md", "Run `mend anew`.\n\n```sh\nmend anew\n```\n\n[text](anew)\n")).toEqual([]);
});

describe("comments", () => {
  test.each(["What", "Who", "Whose", "Whether"])("that start with %s are found, unless they ask", (word) => {
    expect(phrasesOf("a.ts", `// ${word} waits for it.\n`)).toEqual([`${word} …`]);
    expect(phrasesOf("a.ts", `/**\n * ${word} waits\n * for it.\n */\n`)).toEqual([`${word} …`]);
    expect(phrasesOf("a.ts", `// ${word} waits for it? A pod.\n`)).toEqual([]);
  });
});

describe("a sentence of a document", () => {
  const words = (count: number) => "word ".repeat(count).trim();

  test("has at most 40 words", () => {
    expect(phrasesOf("a.md", `Short.\n\n- ${words(39)}\n  word.\n- ${words(39)}\n  two words.\n`)).toEqual([
      "word word word word … (41 words)",
    ]);
  });

  test("ends at a full stop, a list item, a heading and a table", () => {
    const text = `# ${words(41)}\n${words(40)}. Word\n- ${words(40)}\n1. ${words(40)}\n| ${words(41)} |\n`;
    expect(phrasesOf("a.md", text)).toEqual([]);
  });
});

test("a comment allows its line and the next one", () => {
  expect(phrasesOf("a.ts", "// anew, prose: allowed\n")).toEqual([]);
  expect(phrasesOf("a.md", "<!-- prose: allowed -->\nanew\nanew\n")).toEqual(["anew"]);
});
