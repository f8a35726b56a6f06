// Arranges diff lines as table rows, unified or side by side, and folds long runs of context.

import type { DiffHunk, DiffLine } from "@virt/views";

export type DiffTableRow = { readonly left: DiffLine | undefined; readonly right: DiffLine | undefined };

export type DiffBlock = { readonly isFolded: boolean; readonly rows: readonly DiffTableRow[] };

const keptContext = 3;
/** The minimum number of rows to fold. Folding fewer would not save enough space. */
const leastFold = 4;

/** Pairs each removed line with the line that replaces it. */
export function pairLines(lines: readonly DiffLine[]): readonly DiffTableRow[] {
  const rows: DiffTableRow[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      rows.push({ left: removed[at], right: added[at] });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "added") added.push(line);
    else {
      flush();
      rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}

export function unifyLines(lines: readonly DiffLine[]): readonly DiffTableRow[] {
  return lines.map((line) =>
    line.kind === "added"
      ? { left: undefined, right: line }
      : { left: line, right: line.kind === "removed" ? undefined : line },
  );
}

/** Folds context lines that are far from any change. Each row is in exactly one block, and the order is kept. */
export function foldRows(rows: readonly DiffTableRow[]): readonly DiffBlock[] {
  const isContext = ({ left, right }: DiffTableRow) => left !== undefined && left === right;
  const isNear = rows.map((_, at) =>
    rows.slice(Math.max(0, at - keptContext), at + keptContext + 1).some((row) => !isContext(row)),
  );
  const blocks: { isFolded: boolean; rows: DiffTableRow[] }[] = [];
  for (const [at, row] of rows.entries()) {
    const isFolded = isNear[at] === false;
    const last = blocks.at(-1);
    if (last?.isFolded === isFolded) last.rows.push(row);
    else blocks.push({ isFolded, rows: [row] });
  }
  return mergeSmallFolds(blocks);
}

function mergeSmallFolds(blocks: readonly DiffBlock[]): readonly DiffBlock[] {
  const merged: { isFolded: boolean; rows: DiffTableRow[] }[] = [];
  for (const block of blocks) {
    const isFolded = block.isFolded && block.rows.length >= leastFold;
    const last = merged.at(-1);
    if (last !== undefined && !last.isFolded && !isFolded) last.rows.push(...block.rows);
    else merged.push({ isFolded, rows: [...block.rows] });
  }
  return merged;
}

export function blocksOf(hunk: DiffHunk, isSideBySide: boolean): readonly DiffBlock[] {
  return foldRows(isSideBySide ? pairLines(hunk.lines) : unifyLines(hunk.lines));
}
