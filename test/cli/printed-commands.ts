// Finds printed commands in the sources, and matches them with commands that have values.

import { globSync, readFileSync } from "node:fs";
import { isShipped, textsIn } from "../../tools/texts/collect.ts";
import { literalsOf } from "../../tools/texts/literals.ts";

export type PrintedCommand = {
  readonly file: string;
  /** From the first word to the end of the text. Values appear as `<expression>`. */
  readonly text: string;
};

/** Sources that print no commands for users, or whose commands other tests run. */
const otherSources = [
  /^packages\/testkit\//u,
  /^apps\/simulator\//u,
  /^apps\/cli\/src\/(?:completion-script|man-page)\.ts$/u,
  /^tools\/generate\//u, // generates documents, whose commands test/docs runs
  /^tools\/package\//u,
  /^tools\/demo\//u, // the demo runs its own suggestions: tools/demo/check.ts
];

const noCommand =
  /^(?:kubectl|oc) (?:virt-advisor(?:$|<…>$| <version>| VERB \[| <titleOf\(verb\)> \[| needs|: )|accepts|does not|command uses|is (?:not installed|running)|login\b)|^virtctl start`\.$/u;

const program = /(?<![\w/<-]|\| |&& |\$\()(?=((?:kubectl|oc|virtctl|ssh) (?:[a-z]|-n )[^\n]*))/gu;

export const printedCommands: readonly PrintedCommand[] = [
  ...globSync(["apps/*/src/**/*.{ts,tsx}", "{packages,tools}/**/*.ts", "packages/*/src/**/*.tsx", "catalog/**/*.ts"]),
  ...globSync(["config/admission/**/*.yaml", "config/crd/bases/*.yaml", "config/chart/templates/NOTES.txt"]),
]
  .filter((file) => isShipped(file) && !file.includes("node_modules") && !otherSources.some((one) => one.test(file)))
  .toSorted()
  .flatMap((file) => commandsIn(file, readFileSync(file, "utf8")));

export function commandsIn(file: string, content: string): readonly PrintedCommand[] {
  return shownLines(file, content)
    .flatMap((line) => [...line.replaceAll(/<(?:\w+\.)?program>/gu, "kubectl virt-advisor").matchAll(program)])
    .map(([, text = ""]) => ({ file, text: text.trimEnd() }))
    .filter(({ text }) => !noCommand.test(text));
}

/** Takes a page's texts from its string tables. Takes all lines of a component except comments. */
function shownLines(file: string, content: string): readonly string[] {
  const lines = content.split("\n");
  if (file.endsWith(".tsx")) return lines.filter((line) => !/^\s*(?:\/\/|\/?\*)/u.test(line));
  if (file.endsWith(".txt")) return lines.map((line) => line.replaceAll(/\{\{[^}]*\}\}/gu, "<value>"));
  return textsIn(file, content).flatMap(({ text }) => text.split("\n"));
}

/** A command ends with its text, or before one of these. */
const afterCommand = /$|[.,;:)`'"]+(?=\s|$)| \(| (?:to (?:see|list|follow)|if|in its|again|when|shows)\b|<\//gu;

/** Reports whether the whole command is the printed one, with a value for each placeholder. */
export function isPrintedAs({ text }: Pick<PrintedCommand, "text">, command: string): boolean {
  return [...text.matchAll(afterCommand)].some(({ index }) => patternOf(text.slice(0, index), "$").test(command));
}

/** Reports whether the command begins with the printed text. The product assembles the rest elsewhere. */
export function isBegunAs({ text }: Pick<PrintedCommand, "text">, command: string): boolean {
  return patternOf(text, " ").test(command);
}

const placeholder = /<…>|<[^<>]*>|\b(?:[A-Z]{3,}(?:=VALUE)?)\b/gu;
/** Words other than flags (except `-n`), or a command substitution. */
const value = String.raw`(?:\$\(.*\)|\S+(?: (?:-n )?[^-\s]\S*)*)`;

/** A long expression matches anything. */
function patternOf(printed: string, end: "$" | " "): RegExp {
  const values = [...printed.matchAll(placeholder)].map(([one]) => (one === "<…>" ? ".*" : value));
  const parts = printed.split(placeholder).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.map((part, at) => `${part}${values[at] ?? ""}`).join("")}${end}`, "u");
}

/** Returns the targets and variables of `make` in a text, such as `deploy` and `IMG`. */
export function makeWordsIn(content: string): readonly string[] {
  return literalsOf(content).flatMap(({ text }) =>
    [...text.matchAll(/(?<![\w-])make (?!its\b|or\b)([a-z][a-z0-9-]*)((?: [a-z]+-[a-z-]+)*)((?: [A-Z]+=)?)/gu)].flatMap(
      ([, first = "", others = "", variable = ""]) =>
        [first, ...others.split(" "), variable.slice(1, -1)].filter((word) => word !== ""),
    ),
  );
}
