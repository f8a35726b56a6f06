// Selects the documentation blocks that the test runs, in order, and the exceptions.

import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { type Block, blocksIn, commandsOf } from "../e2e/blocks.ts";
import { pages, textOf } from "./pages.ts";

/** The reason why a block, identified by its first line, is not run. */
export type Exception = {
  readonly page: string;
  readonly says: string;
  readonly because: string;
};

type List = {
  readonly tried: readonly string[];
  /** Pages and folders whose blocks run elsewhere, with the location. */
  readonly elsewhere: Readonly<Record<string, string>>;
  readonly placeholders: Readonly<Record<string, string>>;
  /** Commands that reset the cluster before each page. */
  readonly before: readonly string[];
  readonly exceptions: readonly Exception[];
};

export const list = load(readFileSync(new URL("blocks.yaml", import.meta.url), "utf8")) as List;

/** A block of commands with its printed output, or an object for the API server. */
export type Step = {
  readonly kind: "commands" | "object";
  readonly says: string;
  readonly text: string;
  readonly prints: readonly string[];
  readonly lead: string;
};

export function stepsOf(path: string): readonly Step[] {
  const blocks = blocksIn(textOf(path));
  return blocks.flatMap((block, index) => step(block, blocks[index + 1]) ?? []);
}

function step(block: Block, next: Block | undefined): Step | undefined {
  const { text: written, language } = block;
  const lead = `${block.lead}\n${written.match(/#.*$/gm)?.join("\n") ?? ""}`;
  if (language === "yaml") return { kind: "object", says: firstLine(written), text: written, prints: [], lead };
  const text = commandsOf(block).join("\n");
  if (text === "") return undefined;
  return { kind: "commands", says: firstLine(text), text, prints: shownBelow(block, next), lead };
}

/** A text block directly after commands, in the same section, shows their output. */
function shownBelow(block: Block, next: Block | undefined): readonly string[] {
  const shown = next?.language === "text" && next.headline === block.headline ? next.text : "";
  return shown.split("\n").filter((line) => line.trim() !== "");
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}

export function exceptionFor(page: string, { says }: Step): Exception | undefined {
  return list.exceptions.find((one) => one.page === page && one.says === says);
}

/** Pages with testable blocks that no other test runs. */
export const triable = pages
  .map(({ path }) => path)
  .filter((path) => stepsOf(path).length > 0 && !Object.keys(list.elsewhere).some((begin) => path.startsWith(begin)));

export function filledIn(command: string): string {
  return Object.entries(list.placeholders).reduce((text, [word, value]) => text.replaceAll(word, value), command);
}
