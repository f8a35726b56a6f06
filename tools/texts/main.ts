// `make texts`: prints every user-visible text with its location.

import { globSync, readFileSync } from "node:fs";
import { isShipped, type ShownText, sources, textsIn } from "./collect.ts";

const texts = globSync(sources)
  .filter(isShipped)
  .toSorted()
  .flatMap((file) => textsIn(file, readFileSync(file, "utf8")));

function lineOf({ file, line, kind, text }: ShownText): string {
  return `${`${file}:${line}`.padEnd(58)} ${kind.padEnd(9)} ${text.replace(/\s*\n\s*/g, " ⏎ ").trim()}\n`;
}

for (const one of texts) process.stdout.write(lineOf(one));
process.stdout.write(`${texts.length} texts\n`);
