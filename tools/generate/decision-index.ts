import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const pages = "docs/decisions/[0-9][0-9][0-9][0-9]-*.md";

/** Throws if a page has no title or no status line. */
export function decisionIndex(): string {
  const rows = globSync(pages).toSorted().map(row);
  return [
    "# Decisions",
    "",
    "One page for each topic that a maintainer may ask about: dependencies, layers, public fields, and departures from the specification.",
    "Merged pages keep the lowest number of their parts. To find a former number, search this page.",
    "This list is generated (`make generate`).",
    "",
    "| page | decision | status |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function row(file: string): string {
  const [, title, status] = /^# (.+)\n\nStatus: (.+)\.\n/.exec(readFileSync(file, "utf8")) ?? [];
  if (title === undefined || status === undefined)
    throw new Error(`${file} must start with a title, a blank line, and a line such as "Status: accepted."`);
  const page = basename(file);
  return `| [${page.slice(0, 4)}](${page}) | ${title} | ${status} |`;
}
