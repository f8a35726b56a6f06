import { existsSync, readFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";
import { type Block, blocksIn } from "./blocks.ts";

const folder = inRepository("..", "shared", "seeds");

export const areSeedsThere = existsSync(folder);

export function blocksOf(document: string): readonly Block[] {
  return blocksIn(readFileSync(`${folder}/${document}.md`, "utf8"));
}
