// Loads the commands and output of the workflow guide. The copy next to this file is the fallback.

import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { type Block, commandsOf } from "../blocks.ts";
import { blocksOf } from "../seeds.ts";
import { type Tree, viewOf } from "./view.ts";

export type Step = {
  readonly section: string;
  readonly commands: readonly string[];
  readonly prints?: readonly string[];
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
