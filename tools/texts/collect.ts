// Finds user-visible texts in the sources and classifies them.

import { type Literal, literalsOf } from "./literals.ts";

export type TextKind = "condition" | "event" | "log" | "error" | "flag" | "metric" | "admission" | "text";

export type ShownText = {
  readonly file: string;
  readonly line: number;
  readonly kind: TextKind;
  readonly text: string;
};

export const sources = [
  "packages/{api,advisor,cluster,impact,kube,objects,platform,reads}/src/**/*.ts",
  "catalog/**/*.ts",
  "apps/operator/src/**/*.ts",
  "tools/{deploy,demo,dev,controlplane}/*.ts",
  "config/admission/**/*.yaml",
  "config/crd/bases/*.yaml",
];

export function isShipped(file: string): boolean {
  return !/\.test\.ts$|\/(?:any|small)-[a-z-]+\.ts$|\/expect-law\.ts$|\/testing\//.test(file);
}

export function textsIn(file: string, content: string): readonly ShownText[] {
  return file.endsWith(".yaml") ? rulesIn(file, content) : sentencesIn(file, content);
}

function sentencesIn(file: string, source: string): readonly ShownText[] {
  return literalsOf(source)
    .filter(isSentence)
    .map((literal) => ({ file, line: literal.line, kind: kindOf(file, literal), text: literal.text }));
}

/** A sentence has at least two words, one of them not interpolated. Quoted code is not a sentence. */
function isSentence({ text, before }: Literal): boolean {
  if (/(?:from|import|import\()$/.test(before)) return false;
  const words = text
    .replace(/<[^>]*>/g, "<>")
    .split(/\s+/)
    .filter((word) => /[A-Za-z]{2}|<>/.test(word));
  return words.length >= 2 && words.some((word) => /[A-Za-z]{2}/.test(word));
}

const kinds: readonly (readonly [TextKind, RegExp])[] = [
  ["log", /\blog(?:\.[a-z]+|\[[^\]]*\])\($/],
  ["event", /\b(?:normal|warning)(?:Event)?\((?:"[A-Za-z]+"|[a-z]+),[^;]{0,250}$|\bnote[:=]$/],
  ["error", /\b(?:Error|AccessError)\($|\bfail\($|\bproblem:$/],
  ["flag", /\bhelp:$/],
];

function kindOf(file: string, { before }: Literal): TextKind {
  if (/metrics|gauges/.test(file) && /\bhelp:$/.test(before)) return "metric";
  const known = kinds.find(([, pattern]) => pattern.test(before));
  if (known !== undefined) return known[0];
  if (/\/[a-z-]*events\.ts$/.test(file)) return "event";
  return file.startsWith("packages/advisor/src/") ? "condition" : "text";
}

function rulesIn(file: string, content: string): readonly ShownText[] {
  const lines = content.split("\n");
  return lines.flatMap((line, at) => {
    const [, indent = "", rest = ""] = /^([\s-]*)message(?:Expression)?: (.*)$/.exec(line) ?? [];
    if (rest === "") return [];
    const block = /^[|>]/.test(rest) ? blockBelow(lines, at, indent.length) : rest;
    return [
      { file, line: at + 1, kind: "admission" as const, text: block.replace(/^'(.*)'$/s, "$1").replaceAll("''", "'") },
    ];
  });
}

function blockBelow(lines: readonly string[], at: number, indent: number): string {
  const after = lines.slice(at + 1);
  const end = after.findIndex((line) => line.trim() !== "" && line.search(/\S/) <= indent);
  return after
    .slice(0, end === -1 ? undefined : end)
    .map((line) => line.trim())
    .join(" ");
}
