// The table of contents of docs/decisions, from the first lines of its pages.

import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const pages = "docs/decisions/[0-9][0-9][0-9][0-9]-*.md";

export function decisionIndex(): string {
  const rows = globSync(pages).toSorted().map(row);
  return [
    "# Decisions",
    "",
    "One page each: for every dependency, every layer, every public field, and wherever we depart from the specification.",
    "This list is generated (`make generate`).",
    "",
    "| page | decision |",
    "|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function row(file: string): string {
  const title = readFileSync(file, "utf8").split("\n")[0]?.replace(/^# /, "") ?? "";
  const page = basename(file);
  return `| [${page.slice(0, 4)}](${page}) | ${title} |`;
}
