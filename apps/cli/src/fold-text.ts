// Wraps text to the width of a terminal and counts its rows.

import { stripVTControlCharacters } from "node:util";

/** Matches a command up to the end of the line. Commands are never wrapped, because users paste them. */
const command = /(?<!\S)[('`]?(?:kubectl|oc|ssh|virtctl) \S.*$/su;

/** Returns the parts between which a line may be wrapped. Keeps indentation and wide gaps, because they align columns. */
export function foldableParts(line: string): readonly string[] {
  const at = line.search(command);
  const prose = at < 0 ? line : line.slice(0, at);
  if (prose.trim() === "") return [line.trimEnd()];
  const words = prose.trimEnd().split(/(?<=\S) (?=\S)/u);
  return at < 0 ? words : [...words, line.slice(at).trimEnd()];
}

/** Wraps a line at spaces, never inside words or commands. A wrapped line loses its colors. */
export function foldLine(plain: string, painted: string, columns: number | undefined): string {
  if (columns === undefined || plain.length <= columns) return painted;
  const indent = `${/^ */u.exec(plain)?.[0] ?? ""}  `;
  const lines: string[] = [];
  let line = "";
  for (const part of foldableParts(plain)) {
    const isLongLink = /^https?:/u.test(part) && indent.length + part.length > columns; // too long for any line
    if (line !== "" && line.length + 1 + part.length > columns && !isLongLink) {
      lines.push(line);
      line = `${indent}${part}`;
    } else line = line === "" ? part : `${line} ${part}`;
  }
  return lines.length === 0 ? painted : [...lines, line].join("\n");
}

export function foldCell(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of foldableParts(text)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + part.length <= width) lines[lines.length - 1] = `${line} ${part}`;
    else lines.push(part);
  }
  return lines;
}

/** Returns the last lines that fit on the screen, at least one, and their number of rows. */
export function lastLines(
  lines: readonly string[],
  { rows, columns }: { readonly rows: number; readonly columns: number },
): { readonly lines: readonly string[]; readonly height: number } {
  const shown: string[] = [];
  let height = 0;
  for (const line of lines.toReversed()) {
    const own = rowsOf(line, columns);
    if (shown.length > 0 && height + own > rows) break;
    shown.unshift(line);
    height += own;
  }
  return { lines: shown, height };
}

/** Counts the rows of a line. Color codes take up no columns. */
function rowsOf(line: string, columns: number): number {
  const { length } = stripVTControlCharacters(line);
  return Math.max(1, Math.ceil(length / columns));
}
