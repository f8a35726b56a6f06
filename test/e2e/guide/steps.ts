// The workflow guide as data: what is typed, what is printed. The copy beside this file stands in where the guide is not at hand.

import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { type Block, commandsOf } from "../blocks.ts";
import { blocksOf } from "../seeds.ts";
import { type Tree, viewOf } from "./view.ts";

export type Step = {
  readonly section: string;
  readonly commands: readonly string[];
  /** Lines that the guide prints below its command. */
  readonly prints?: readonly string[];
  /** The view of the object that the guide prints behind its command. */
  readonly shows?: Tree;
};

const copy = new URL("workflow-guide.yaml", import.meta.url);

export function copiedSteps(): readonly Step[] {
  return load(readFileSync(copy, "utf8")) as readonly Step[];
}

export function printedSteps(): readonly Step[] {
  const blocks = blocksOf("workflow-guide");
  return blocks.flatMap((block, index) => {
    const commands = commandsOf(block);
    return commands.length === 0 ? [] : [{ section: block.headline, commands, ...answer(block, blocks[index + 1]) }];
  });
}

function answer(block: Block, next: Block | undefined): Pick<Step, "prints" | "shows"> {
  if (next?.language === "yaml") return { shows: viewOf(load(next.text)) };
  const lines = block.text.trimEnd().split("\n");
  return lines[0]?.startsWith("$ ") ? { prints: lines.slice(1) } : {};
}
