// Folds texts to the width of a terminal, and counts the rows that they take there.

import { stripVTControlCharacters } from "node:util";

/** A command and all that follows it. Line breaks in it would break a paste, so the terminal wraps it instead. */
const command = /(?<!\S)[('`]?(?:kubectl|oc|ssh|virtctl) \S.*$/su;

/** The parts of a line between which it may be folded. Spaces at its start belong to the first one, and a wider gap aligns two words. */
export function foldableParts(line: string): readonly string[] {
  const at = line.search(command);
  const prose = at < 0 ? line : line.slice(0, at);
  if (prose.trim() === "") return [line.trimEnd()];
  const words = prose.trimEnd().split(/(?<=\S) (?=\S)/u);
  return at < 0 ? words : [...words, line.slice(at).trimEnd()];
}

/** A line that is too long is folded at spaces, without colours: they cannot be cut. Words and commands are never cut. */
export function foldLine(plain: string, painted: string, columns: number | undefined): string {
  if (columns === undefined || plain.length <= columns) return painted;
  const indent = `${/^ */u.exec(plain)?.[0] ?? ""}  `;
  const lines: string[] = [];
  let line = "";
  for (const part of foldableParts(plain)) {
    const isLongLink = /^https?:/u.test(part) && indent.length + part.length > columns; // it fits on no line
    if (line !== "" && line.length + 1 + part.length > columns && !isLongLink) {
      lines.push(line);
      line = `${indent}${part}`;
    } else line = line === "" ? part : `${line} ${part}`;
  }
  return lines.length === 0 ? painted : [...lines, line].join("\n");
}

/** The lines of a column of that width. */
export function foldCell(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of foldableParts(text)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + part.length <= width) lines[lines.length - 1] = `${line} ${part}`;
    else lines.push(part);
  }
  return lines;
}

/** The last lines that a screen has room for, and the rows that they take; the last one in any case. */
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

/** Our colours take no room. */
function rowsOf(line: string, columns: number): number {
  const { length } = stripVTControlCharacters(line);
  return Math.max(1, Math.ceil(length / columns));
}
