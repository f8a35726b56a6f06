// Finds phrases that read like a translation, in comments, strings and documents. It does not replace reading.

import { literalsOf } from "../texts/literals.ts";

export type ProseFinding = {
  readonly line: number;
  readonly phrase: string;
  readonly replacement: string;
};

/** Patterns without word boundaries. A space also matches a line break inside a comment. */
const phrases: readonly (readonly [pattern: string, replacement: string])[] = [
  ["anew", "again, or re- (re-creates, redrafts)"],
  ["once more", "again"],
  ["whoever", "anyone who, the user, or an administrator"],
  ["(?:nobody|somebody)", "no user, another client, or an administrator"],
  ["mend(?:s|ed|ing)?", "fix, or correct"],
  ["puts? right", "fix, or correct"],
  ["go(?:es)? on(?= with\\b|[.,;:)]|$| (?:and|when|until|as|by|after)\\b)", "continue"],
  ["went on(?= with\\b|[.,;:)]|$)", "continued"],
  ["by itself", "automatically, or alone"],
  ["of (?:its|their) own accord", "automatically"],
  ["(?:is|are|was|were) told(?! apart)", "gets a message, or sees"],
  ["(?:tell|tells|telling|told) of", "report, or show"],
  ["what holds", "what is blocking, or the cause"],
  ["nothing holds", "nothing is blocking"],
  ["holds (?:it|them) (?:back|up)", "blocks it"],
  ["holds (?:a|the) (?:rollout|drain|plan)", "blocks it"],
  ["(?:is|are) held(?! (?:by|in|to)\\b)", "is on hold, or is blocked"],
  ["on display", "shown, or pending"],
  ["(?:and|or) the like", "name the things"],
  ["so many(?! \\w+ that\\b)", "name the number"],
  ["such (?:a |an )?one", "name the thing"],
  [
    "(?<!(?:there|here|why|where) )(?:is|are) no(?= [a-z]+(?: [a-z]+)?(?:[.,;:)]|$))(?! (?:longer|more|one|such|problem)\\b)",
    "is not a",
  ],
  ["(?:has|have) no more(?! than\\b)", "has no remaining"],
  ["by chance", "at random"],
  ["inputs? (?:has |have )?moved", "changed"],
  ["write (?:is due|goes|leaves)", "is pending, or is sent"],
  ["people who", "users who, or anyone who"],
];

const patterns = phrases.map(([source, replacement]) => ({
  pattern: new RegExp(`(?<![\\w-])${source.replaceAll(" ", "(?:\\s+(?:(?://|\\*)\\s*)?)")}(?![\\w-])`, "gim"),
  replacement,
}));

const question = /^(?:What|Who|Whose|Whether)\b[^.!?]*(?:[.!]|$)/;
const longestSentence = 40;

/** A comment that exempts its own line and the next one. */
const allowed = /prose: allowed/;

export function findPhrases(file: string, text: string): readonly ProseFinding[] {
  const lines = text.split("\n");
  const found = file.endsWith(".md")
    ? [...phrasesIn({ line: 1, text: withoutCode(text) }), ...longSentences(withoutCode(text))]
    : inSource(file, text);
  return found
    .filter(({ line }) => !allowed.test(lines[line - 1] ?? "") && !allowed.test(lines[line - 2] ?? ""))
    .toSorted((left, right) => left.line - right.line);
}

type Segment = { readonly line: number; readonly text: string };

/** JSX text is in no literal, so a .tsx file is one segment. */
function inSource(file: string, text: string): readonly ProseFinding[] {
  const comments = commentsOf(text);
  const prose = file.endsWith(".tsx") ? [{ line: 1, text }] : [...comments, ...sentencesOf(text)];
  return [...prose.flatMap(phrasesIn), ...comments.flatMap(questionWord)];
}

function sentencesOf(text: string): readonly Segment[] {
  return literalsOf(text).filter((literal) => literal.text.includes(" "));
}

/** Consecutive line comments are one segment. */
function commentsOf(text: string): readonly Segment[] {
  const blocks = text.matchAll(/(?<=^|[\s{(])(?:\/\/ .*(?:\n[ \t]*\/\/ .*)*|\/\*\*?\s[\s\S]*?\*\/)/g);
  return [...blocks].map((block) => ({ line: lineAt(text, block.index), text: block[0] }));
}

function questionWord({ line, text }: Segment): readonly ProseFinding[] {
  const sentence = text.replace(/^(?:\/\/|\/\*\*?)\s+(?:\*\s+)?/, "").replace(/\s*\*\/$/, "");
  const start = question.exec(sentence)?.[0];
  if (start === undefined) return [];
  return [{ line, phrase: `${start.split(/\s/)[0]} …`, replacement: "start with the noun, or Reports whether" }];
}

function phrasesIn({ line, text }: Segment): readonly ProseFinding[] {
  return patterns.flatMap(({ pattern, replacement }) =>
    [...text.matchAll(pattern)].map(({ 0: phrase, index }) => ({
      line: line + lineAt(text, index) - 1,
      phrase: phrase.replace(/\s+(?:(?:\/\/|\*)\s*)?/g, " "),
      replacement,
    })),
  );
}

/** Blanks out code blocks, code spans and link targets. Line numbers do not change. */
function withoutCode(text: string): string {
  return text
    .replace(/^( *)(```+|~~~+)[\s\S]*?^ *\2.*$/gm, (block) => block.replace(/[^\n]+/g, ""))
    .replace(/<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]+/g, ""))
    .replace(/(`+)[^`]+\1/g, (code) => `code${"\n".repeat(code.split("\n").length - 1)}`)
    .replace(/\]\([^)\s]*\)/g, "]");
}

function longSentences(text: string): readonly ProseFinding[] {
  return paragraphsOf(text).flatMap((paragraph) => {
    const ends = [0, ...paragraph.text.matchAll(/[.!?:][)"'*_]*\s+(?=["'(*_[]*[A-Z\d]|code\b)/g).map(endOf)];
    return ends.flatMap((start, at) => {
      const sentence = paragraph.text.slice(start, ends[at + 1]);
      const words = sentence.split(/\s+/).filter((word) => /\w/.test(word) && !/^\d+\.$/.test(word));
      if (words.length <= longestSentence) return [];
      const line = paragraph.line + lineAt(paragraph.text, start) - 1;
      const phrase = `${words.slice(0, 4).join(" ")} … (${words.length} words)`;
      return [{ line, phrase, replacement: `at most ${longestSentence} words, better 20` }];
    });
  });
}

const endOf = (match: RegExpExecArray) => match.index + match[0].length;

/** Each list item is a paragraph. Tables and headings have no sentences. */
function paragraphsOf(text: string): readonly Segment[] {
  const starts = text.matchAll(/^(?![ \t]*(?:\||#|$))[^\n]+(?:\n(?![ \t]*(?:\||#|[-*+] |\d+\. |$))[^\n]+)*/gm);
  return [...starts].map((match) => ({ line: lineAt(text, match.index), text: match[0] }));
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
