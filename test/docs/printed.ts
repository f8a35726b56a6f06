// The blocks of the documents that a machine can try, in the order in which the test does it, and those that it cannot.

import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { type Block, blocksIn, commandsOf } from "../e2e/blocks.ts";
import { pages } from "./pages.ts";

/** Why a block, named by its first line, is not tried here. */
export type Exception = {
  readonly page: string;
  readonly says: string;
  readonly because: string;
};

type List = {
  /** Pages that are tried, in this order. */
  readonly tried: readonly string[];
  /** Pages, and folders of them, whose blocks are tried elsewhere, and where. */
  readonly elsewhere: Readonly<Record<string, string>>;
  /** What a reader puts in the place of such a word. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** Typed before each page, so that it finds the cluster as it was. */
  readonly before: readonly string[];
  readonly exceptions: readonly Exception[];
};

export const list = load(readFileSync(new URL("blocks.yaml", import.meta.url), "utf8")) as List;

/** A block of commands, with what they print where the page shows that, or an object for the API server. */
export type Step = {
  readonly kind: "commands" | "object";
  /** Its first line, which names it. */
  readonly says: string;
  readonly text: string;
  readonly prints: readonly string[];
  /** What the reader has just read: the paragraph before the block, and the comments in it. */
  readonly lead: string;
};

export function stepsOf(path: string): readonly Step[] {
  const blocks = blocksIn(pages.find((page) => page.path === path)?.text ?? "");
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

/** A block of plain text, in the same section and right behind commands, shows what they print. */
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

/** Pages with something to try that nobody else tries. */
export const triable = pages
  .map(({ path }) => path)
  .filter((path) => stepsOf(path).length > 0 && !Object.keys(list.elsewhere).some((begin) => path.startsWith(begin)));

export function filledIn(command: string): string {
  return Object.entries(list.placeholders).reduce((text, [word, value]) => text.replaceAll(word, value), command);
}
