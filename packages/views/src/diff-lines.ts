// Parses the diff of an item, as the advisor writes it, into structured lines.

/** `old` and `fresh` are line numbers, starting at 1. One is absent if only the other side has the line. */
export type DiffLine = {
  readonly kind: "context" | "added" | "removed";
  readonly text: string;
  readonly old?: number;
  readonly fresh?: number;
};

/** `heading` names the file or unit at the start of the hunk, if its lines do not show it. */
export type DiffHunk = { readonly heading: string; readonly lines: readonly DiffLine[] };

/** The diff of one object. Titles are `<name> (<Kind>)`, or `/dev/null` if that side has no object. */
export type ObjectDiff = {
  readonly oldTitle: string;
  readonly freshTitle: string;
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
  /** The number of lines that were cut from the end so that the diff fits in the status. */
  readonly leftOut: number;
};

const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(?: (.*))?$/u;
const more = /^\u2026 (\d+) more lines\b/u;

/** Parses `status.items[].diff`. Returns no hunks if nothing changes. Never throws: unknown lines become context. */
export function readDiff(text: string): ObjectDiff {
  const lines = text.split("\n").slice(0, text.endsWith("\n") ? -1 : undefined);
  const [first = "", second = "", ...rest] = lines;
  const hunks: { heading: string; lines: DiffLine[] }[] = [];
  const at = { old: 1, fresh: 1 };
  let leftOut = 0;
  for (const line of rest) {
    const found = header.exec(line);
    const cut = more.exec(line);
    if (found !== null) {
      [at.old, at.fresh] = [Number(found[1]), Number(found[2])];
      hunks.push({ heading: found[3] ?? "", lines: [] });
    } else if (cut !== null) leftOut = Number(cut[1]);
    else hunks.at(-1)?.lines.push(numberLine(line, at));
  }
  const count = (kind: DiffLine["kind"]) =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.kind === kind).length, 0);
  return {
    oldTitle: first.replace(/^--- /u, ""),
    freshTitle: second.replace(/^\+\+\+ /u, ""),
    hunks,
    added: count("added"),
    removed: count("removed"),
    leftOut,
  };
}

function numberLine(line: string, at: { old: number; fresh: number }): DiffLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { kind: "added", text, fresh: at.fresh++ };
  if (line.startsWith("-")) return { kind: "removed", text, old: at.old++ };
  return { kind: "context", text, old: at.old++, fresh: at.fresh++ };
}
